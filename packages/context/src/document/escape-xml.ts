/** Characters that XML 1.0 cannot hold, in any form. */
const ILLEGAL = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

/** Escapes text for elements and attributes. What XML cannot hold becomes an element, `<char code="1b"/>`. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"\r]/g, (char) => ENTITIES[char] ?? char).replace(ILLEGAL, toElement);
}

/** Escapes text for an attribute, where what XML cannot hold becomes U+FFFD. */
export function escapeAttribute(text: string): string {
  return escapeXml(text.replace(ILLEGAL, '\ufffd'));
}

function toElement(char: string): string {
  return `<char code="${char.codePointAt(0)?.toString(16)}"/>`;
}

/** Escapes text for CDATA sections, chunk by chunk: it splits the end mark over two sections. */
export class CdataEscaper {
  #kept = '';

  escape(chunk: string, isLast: boolean): string {
    const text = this.#kept + chunk;
    const end = isLast ? text.length : text.length - (/\]{1,2}$/.exec(text)?.[0].length ?? 0);
    this.#kept = text.slice(end);
    return text
      .slice(0, end)
      .replaceAll(']]>', ']]]]><![CDATA[>')
      .replace(ILLEGAL, (char) => `]]>${toElement(char)}<![CDATA[`);
  }
}
