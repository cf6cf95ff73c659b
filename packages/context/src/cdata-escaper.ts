/** Characters that XML 1.0 cannot hold. */
const ILLEGAL = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Escapes text for CDATA sections, chunk by chunk: it splits the end mark over two sections. */
export class CdataEscaper {
  #kept = '';

  static legal(text: string): string {
    return text.replace(ILLEGAL, '\ufffd');
  }

  escape(chunk: string, isLast: boolean): string {
    const text = this.#kept + CdataEscaper.legal(chunk);
    const end = isLast ? text.length : text.length - (/\]{1,2}$/.exec(text)?.[0].length ?? 0);
    this.#kept = text.slice(end);
    return text.slice(0, end).replaceAll(']]>', ']]]]><![CDATA[>');
  }
}
