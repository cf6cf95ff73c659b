interface Chunk {
  readonly fileName: string;
  readonly code?: string;
}

export function writeProgram(file: string, chunks: readonly Chunk[]): Promise<void>;
export function forLoader(code: string): string;
