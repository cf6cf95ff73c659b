const CHUNK = 1024 * 1024;
/** Bytes that are passed to a sink at once. */
const BATCH = 64 * 1024;

/** Gets bytes, which the caller may overwrite as soon as the call returns. */
export interface Sink {
  write(bytes: Buffer): void;
  /** Ends a part of a document that is split. Later bytes belong to the next part. */
  nextPart?(): void;
}

export type DocumentPiece = Buffer | string;

/** Holds bytes in memory, in chunks, until they are passed to a sink. */
export class Spool {
  size = 0;
  #full: Buffer[] = [];
  #chunk = Buffer.allocUnsafeSlow(BATCH);
  #used = 0;

  write(piece: DocumentPiece): void {
    if (typeof piece !== 'string') this.#copy(piece);
    else if (piece.length * 3 >= this.#chunk.length - this.#used) this.#copy(Buffer.from(piece));
    else {
      const written = this.#chunk.write(piece, this.#used);
      this.#used += written;
      this.size += written;
    }
  }

  drainTo(sink: Sink): void {
    for (const chunk of this.chunks()) sink.write(chunk);
    this.clear();
  }

  clear(): void {
    this.size = 0;
    this.#full = [];
    this.#used = 0;
  }

  chunks(): readonly Buffer[] {
    return this.#used > 0 ? [...this.#full, this.#chunk.subarray(0, this.#used)] : this.#full;
  }

  #copy(bytes: Buffer): void {
    this.size += bytes.length;
    for (let at = 0; at < bytes.length; ) {
      const copied = bytes.copy(this.#chunk, this.#used, at);
      this.#used += copied;
      at += copied;
      if (this.#used < this.#chunk.length) continue;
      this.#full.push(this.#chunk);
      this.#chunk = Buffer.allocUnsafeSlow(CHUNK);
      this.#used = 0;
    }
  }
}

/** Collects small writes into few large ones. Call `flush` after the last write. */
export class Batch {
  readonly #spool = new Spool();
  readonly #sink: Sink;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  write(piece: DocumentPiece): void {
    if (typeof piece === 'string' || piece.length < BATCH) this.#spool.write(piece);
    else {
      this.flush();
      this.#sink.write(piece);
    }
    if (this.#spool.size >= BATCH) this.flush();
  }

  nextPart(): void {
    this.flush();
    this.#sink.nextPart?.();
  }

  flush(): void {
    this.#spool.drainTo(this.#sink);
  }
}
