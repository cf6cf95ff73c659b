const CHUNK = 1024 * 1024;
/** Bytes that are passed to a sink at once. */
const BATCH = 64 * 1024;

/** Gets bytes, which the caller may overwrite as soon as the call returns. */
export interface Sink {
  write(bytes: Buffer): void;
  /** Ends a part of a document that is split; later bytes go into the next part. */
  nextPart?(): void;
}

/** A sink that also accepts text. */
export interface TextSink extends Sink {
  writeText(text: string): void;
}

/** Holds bytes in memory, in chunks, until they are passed to a sink. */
export class Spool implements TextSink {
  size = 0;
  #full: Buffer[] = [];
  #chunk = Buffer.allocUnsafeSlow(BATCH);
  #used = 0;

  write(bytes: Buffer): void {
    this.size += bytes.length;
    for (let at = 0; at < bytes.length; ) {
      const copied = bytes.copy(this.#chunk, this.#used, at);
      this.#used += copied;
      at += copied;
      if (this.#used === this.#chunk.length) this.#next();
    }
  }

  writeText(text: string): void {
    if (text.length * 3 >= this.#chunk.length - this.#used) {
      this.write(Buffer.from(text));
      return;
    }
    const written = this.#chunk.write(text, this.#used);
    this.#used += written;
    this.size += written;
  }

  /** Passes everything to a sink, in order, and is empty afterwards. */
  drainTo(sink: Sink): void {
    for (const chunk of this.#full) sink.write(chunk);
    if (this.#used > 0) sink.write(this.#chunk.subarray(0, this.#used));
    this.clear();
  }

  clear(): void {
    this.size = 0;
    this.#full = [];
    this.#used = 0;
  }

  /** Returns all bytes that are held, in order. */
  chunks(): readonly Buffer[] {
    return this.#used > 0 ? [...this.#full, this.#chunk.subarray(0, this.#used)] : this.#full;
  }

  #next(): void {
    this.#full.push(this.#chunk);
    this.#chunk = Buffer.allocUnsafeSlow(CHUNK);
    this.#used = 0;
  }
}

/** Collects small writes into few large ones. The last must be followed by `flush`. */
export class Batch implements TextSink {
  readonly #spool = new Spool();
  readonly #sink: Sink;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  write(bytes: Buffer): void {
    if (bytes.length >= BATCH) this.flush();
    (bytes.length >= BATCH ? this.#sink : this.#spool).write(bytes);
    if (this.#spool.size >= BATCH) this.flush();
  }

  writeText(text: string): void {
    this.#spool.writeText(text);
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
