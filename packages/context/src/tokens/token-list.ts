import { ContentReader, describeReadError } from '../document/content-reader.ts';
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
  const { counter, warn, onFile } = options;
  let total = 0;
  await collectFiles(plan, options, (candidate) => {
    const { path } = candidate;
    try {
      const tokens = candidate.read((file) => {
        if (!reader.isText(file)) return undefined;
        let sum = 0;
        for (const chunk of reader.chunks(file, reader.inspect(file).encoding)) sum += counter.count(chunk);
        onFile?.(file.size);
        return sum;
      });
      if (tokens === undefined) return;
      total += tokens;
      take(path, tokens);
    } catch (error) {
      warn(`${escapePath(path)}: ${describeReadError(error)}`);
    }
  });
  return total;
}
