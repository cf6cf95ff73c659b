import { ContentReader, describeReadError } from '../document/content-reader.ts';
import { FileCharsets, type FoundCharset } from '../document/file-charsets.ts';
import type { Candidate } from '../targets/candidate.ts';
import { type CollectOptions, collectFiles } from '../targets/collect.ts';
import { escapePath } from '../targets/escape-path.ts';
import type { TargetPlan } from '../targets/targets.ts';
import type { TokenCounter } from './tokens.ts';

/** Lists the tokens of each file that a dump would hold, in its order, and of all of them. */
export async function listTokens(
  plan: TargetPlan,
  options: CollectOptions & { readonly counter: TokenCounter; readonly onFile?: ((bytes: number) => void) | undefined },
  take: (path: string, tokens: number) => void,
): Promise<number> {
  const reader = new ContentReader();
  const charsets = new FileCharsets(options.charsets);
  const { counter, warn, onFile } = options;
  let total = 0;
  const visit = (candidate: Candidate, found?: FoundCharset): Promise<undefined> | undefined => {
    const { path } = candidate;
    try {
      const tokens = candidate.read((file) => {
        const kind = found ? 'plain' : reader.kindOf(file);
        if (kind !== 'plain') return kind;
        let sum = 0;
        for (const chunk of reader.chunks(file, found?.charset)) sum += counter.count(chunk);
        onFile?.(file.size);
        return sum;
      });
      if (tokens === 'foreign') return charsets.find(candidate).then((charset) => visit(candidate, charset));
      if (tokens === 'binary') return undefined;
      total += tokens;
      take(path, tokens);
    } catch (error) {
      warn(`${escapePath(path)}: ${describeReadError(error)}`);
    }
    return undefined;
  };
  await collectFiles(plan, options, (candidate) => visit(candidate));
  return total;
}
