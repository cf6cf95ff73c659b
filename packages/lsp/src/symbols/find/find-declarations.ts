import type { ToolContext } from '@jinn/core';
import {
  createOutlines,
  isOutline,
  type NoOutline,
  type Outline,
  type OutlineBatch,
  type SyntaxSymbol,
} from '@jinn/syntax';
import { readContent, unlessRefused } from '../show/read-source.ts';
import type { TreeScope } from './scope.ts';
import { createSourceIndex, type IndexedFile, NOT_PARSED } from './source-index.ts';

export interface Declaration {
  readonly file: string;
  readonly outline: Outline;
  readonly symbol: SyntaxSymbol;
}

export interface DeclarationSearch<T> {
  readonly trigrams: readonly number[];
  choose(outline: Outline, file: string): readonly T[];
  isWanted?(file: IndexedFile): boolean;
}

export interface FoundDeclarations<T> {
  readonly declarations: readonly T[];
  readonly warnings: readonly string[];
}

/** Finds symbols in a scope, by files and lines. Only files that may hold the words are parsed. */
export async function findDeclarations<T>(
  ctx: ToolContext,
  scope: TreeScope,
  { trigrams, choose, isWanted }: DeclarationSearch<T>,
): Promise<FoundDeclarations<T>> {
  const reader = new DeclarationReader(ctx, choose);
  try {
    const { warnings, leftOut } = await ctx.session
      .use(createSourceIndex)
      .scan(ctx, scope, (file, content) =>
        file.filter.mayHold(trigrams) && isWanted?.(file) !== false ? reader.read(file, content) : undefined,
      );
    const { declarations, failed } = await reader.finish();
    for (const path of failed) leftOut.add(NOT_PARSED, path);
    return { declarations, warnings: [...warnings, ...leftOut.lines()] };
  } finally {
    reader.close();
  }
}

interface SearchedFile<T> {
  readonly file: IndexedFile;
  /** Undefined until it is read, and for a file that is gone or that the parser gave up on. */
  chosen: readonly T[] | undefined;
}

/** Reads some of the files on a second thread if there are many. */
class DeclarationReader<T> {
  readonly #ctx: ToolContext;
  readonly #choose: DeclarationSearch<T>['choose'];
  readonly #batch: OutlineBatch;
  readonly #searched: SearchedFile<T>[] = [];
  readonly #beside: Promise<void>[] = [];
  readonly #again: SearchedFile<T>[] = [];

  constructor(ctx: ToolContext, choose: DeclarationSearch<T>['choose']) {
    this.#ctx = ctx;
    this.#choose = choose;
    this.#batch = ctx.session.use(createOutlines).openBatch();
  }

  async read(file: IndexedFile, content: Buffer | undefined): Promise<void> {
    const one: SearchedFile<T> = { file, chosen: undefined };
    this.#searched.push(one);
    const reading = content && this.#batch.offer({ ...file, content });
    if (reading === undefined) this.#take(one, await outlineOf(this.#ctx, file, content));
    else
      this.#beside.push(reading.then((outline) => (outline ? this.#take(one, outline) : void this.#again.push(one))));
    await this.#ctx.checkpoint();
  }

  async finish(): Promise<{ declarations: readonly T[]; failed: readonly string[] }> {
    await Promise.all(this.#beside);
    for (const one of this.#again) this.#take(one, await outlineOf(this.#ctx, one.file, undefined));
    return {
      declarations: this.#searched.flatMap(({ chosen }) => chosen ?? []),
      failed: this.#searched.filter(({ chosen }) => !chosen).map(({ file }) => file.path),
    };
  }

  close(): void {
    this.#batch.close();
  }

  #take(one: SearchedFile<T>, outline: Outline | NoOutline | undefined): void {
    if (outline && isOutline(outline)) one.chosen = this.#choose(outline, one.file.path);
  }
}

async function outlineOf(ctx: ToolContext, { path, version }: IndexedFile, content: Buffer | undefined) {
  const outlines = ctx.session.use(createOutlines);
  const read = () => outlines.read(content ? { path, version, content } : readContent(ctx, `./${path}`));
  return outlines.known(path, version) ?? unlessRefused(read);
}
