/**
 * The script of the thread that replaces. It works on one text at a time, and holds the text, the result as bytes, and little
 * else: native `replace` and lists of matches take many times the memory, and run out of it where V8 can only abort.
 */
export const REPLACE_SCRIPT = `
  'use strict';
  const { isUtf8 } = require('node:buffer');
  const { parentPort, workerData } = require('node:worker_threads');
  const { pattern, flags, replacement } = workerData;
  const regex = new RegExp(pattern, flags);
  const MAX_PENDING = 65536;

  /** The length of the UTF-8 character at a place; 0 for a byte that is not UTF-8. */
  const lengthAt = (bytes, at) => {
    const first = bytes[at];
    if (first < 0x80) return 1;
    const length = first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0;
    if (length === 0 || at + length > bytes.length) return 0;
    const second = bytes[at + 1];
    const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
    const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
    if (second < least || second > most) return 0;
    for (let i = 2; i < length; i++) if (bytes[at + i] < 0x80 || bytes[at + i] > 0xbf) return 0;
    return length;
  };

  /** A byte that is not UTF-8 becomes one of the lone surrogates U+DC80 to U+DCFF. */
  const decode = (bytes) => {
    const buffer = Buffer.from(bytes.buffer);
    if (isUtf8(buffer)) return buffer.toString();
    const units = new Uint16Array(bytes.length);
    let count = 0;
    for (let at = 0; at < bytes.length; ) {
      const length = lengthAt(bytes, at);
      if (length === 0) units[count++] = 0xdc00 + bytes[at];
      else if (length === 1) units[count++] = bytes[at];
      else {
        let point = bytes[at] & (0xff >> (length + 1));
        for (let i = 1; i < length; i++) point = (point << 6) | (bytes[at + i] & 0x3f);
        if (point > 0xffff) {
          units[count++] = 0xd7c0 + (point >> 10);
          units[count++] = 0xdc00 + (point & 0x3ff);
        } else units[count++] = point;
      }
      at += Math.max(1, length);
    }
    return Buffer.from(units.buffer, 0, 2 * count).toString('utf16le');
  };

  class Output {
    /** Writes over a buffer that is not needed any more. */
    constructor(buffer, maxBytes) {
      this.maxBytes = maxBytes;
      this.buffer = Buffer.from(buffer);
      this.length = 0;
      this.pending = '';
    }
    /** False once the result is too large. */
    add(text) {
      if (this.length + this.pending.length + text.length > this.maxBytes + MAX_PENDING) return false;
      for (let at = 0; at < text.length; ) {
        let end = Math.min(text.length, at + MAX_PENDING);
        const last = text.charCodeAt(end - 1);
        // A pair of surrogates stays together.
        if (end < text.length && last >= 0xd800 && last <= 0xdbff) end--;
        this.pending += text.length === end - at ? text : text.slice(at, end);
        if (this.pending.length >= MAX_PENDING && !this.flush()) return false;
        at = end;
      }
      return true;
    }
    flush() {
      const text = this.pending;
      this.pending = '';
      if (text.isWellFormed()) this.write(text);
      else for (const part of text.split(/([\\udc80-\\udcff])/u)) this.write(part);
      return this.length <= this.maxBytes;
    }
    write(part) {
      const most = 3 * part.length;
      if (this.length + most > this.buffer.length) this.grow(this.length + Math.max(most, this.length >> 3));
      const isByte = part.length === 1 && part >= '\\udc80' && part <= '\\udcff';
      if (isByte) this.buffer[this.length++] = part.charCodeAt(0) - 0xdc00;
      else this.length += this.buffer.write(part, this.length);
    }
    grow(size) {
      const larger = Buffer.from(new ArrayBuffer(size));
      this.buffer.copy(larger, 0, 0, this.length);
      this.buffer = larger;
    }
  }

  const addReplacement = (output, match) =>
    replacement.every((part) => output.add(typeof part === 'string' ? part : (match[part] ?? '')));

  const lineAt = (text, offset) => {
    let line = 1;
    for (let at = text.indexOf('\\n'); at >= 0 && at < offset; at = text.indexOf('\\n', at + 1)) line++;
    return line;
  };

  const replaceIn = (task) => {
    const text = decode(task.bytes);
    const output = new Output(task.bytes.buffer, task.maxBytes);
    let [count, start, end] = [0, 0, 0];
    let fits = true;
    regex.lastIndex = 0;
    for (let match = regex.exec(text); match && fits; match = fits ? regex.exec(text) : null) {
      if (count++ === 0) start = match.index;
      fits = output.add(text.slice(end, match.index)) && addReplacement(output, match);
      end = match.index + match[0].length;
      if (match[0] === '') regex.lastIndex += text.codePointAt(end) > 0xffff ? 2 : 1;
    }
    const lines = { firstLine: lineAt(text, start), lastLine: lineAt(text, Math.max(start, end - 1)) };
    fits = count > 0 && fits && output.add(text.slice(end)) && output.flush();
    return { count, ...lines, buffer: fits ? output.buffer.buffer : undefined, length: output.length };
  };

  parentPort.on('message', (task) => {
    const answer = replaceIn(task);
    parentPort.postMessage(answer, answer.buffer ? [answer.buffer] : []);
  });
`;
