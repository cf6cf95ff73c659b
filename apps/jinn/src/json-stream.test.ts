import { Buffer } from 'node:buffer';
import { type Incoming, parseJson } from '@jinn/core/text';
import type { JsonLimits } from '@jinn/core/text/json/json-scanner';
import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { JsonStream } from './json-stream.ts';

function take(values: JsonStream): Incoming[] {
  const taken: Incoming[] = [];
  for (let incoming = values.next(); incoming; incoming = values.next()) taken.push(incoming);
  return taken;
}

/** Reads the whole stream in chunks that end at the given places, each overwritten as soon as it was pushed. */
function read(stream: string | Uint8Array, options: JsonLimits = {}, cuts: readonly number[] = []): Incoming[] {
  const bytes = Buffer.from(stream);
  const values = new JsonStream(options);
  const taken: Incoming[] = [];
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  let start = 0;
  for (const end of ends) {
    const chunk = Buffer.from(bytes.subarray(start, end));
    values.push(chunk);
    chunk.fill(0x7b);
    taken.push(...take(values));
    start = end;
  }
  values.end();
  return [...taken, ...take(values)];
}

function readBytewise(stream: string | Uint8Array, options: JsonLimits = {}): Incoming[] {
  const length = Buffer.from(stream).length;
  return read(
    stream,
    options,
    [...Array(length).keys()].flatMap((at) => [at, at]),
  );
}

function memoryInUse(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** What was read, one entry each: the value as JSON, or the message without its fixed beginning. */
function brief(incoming: Incoming): string {
  if (incoming.ok) return JSON.stringify(incoming.value);
  expect(incoming.message).toMatch(/^invalid JSON: [^\p{Cc}]+$/u);
  return `! ${incoming.message.slice('invalid JSON: '.length)}`;
}

function briefs(stream: string | Uint8Array, options: JsonLimits = {}): string[] {
  const whole = read(stream, options);
  expect(readBytewise(stream, options)).toEqual(whole);
  return whole.map(brief);
}

describe('values', () => {
  test.each([
    [
      'one on a line',
      '{"a":1}\n[2]\n"x"\n3\ntrue\nfalse\nnull\n',
      ['{"a":1}', '[2]', '"x"', '3', 'true', 'false', 'null'],
    ],
    ['pretty-printed', '{\n  "a": [\r\n\t1,\n 2\n  ],\n  "b": {}\n}\n[\n]', ['{"a":[1,2],"b":{}}', '[]']],
    ['side by side', '{}{}[][1]"a""b"{"c":[]} {}', ['{}', '{}', '[]', '[1]', '"a"', '"b"', '{"c":[]}', '{}']],
    ['numbers side by side with others', '1{}2[]3"x"4 5', ['1', '{}', '2', '[]', '3', '"x"', '4', '5']],
    ['without a newline at the end', '{"a":1}\n12', ['{"a":1}', '12']],
    ['numbers of every form', '[0,-0.5,10.25e+3,1E-2,2e9]', ['[0,-0.5,10250,0.01,2000000000]']],
    ['escapes of every form', String.raw`"\"\\\/\b\f\n\r\t\u00e9\uD83D\ude00"`, [String.raw`"\"\\/\b\f\n\r\té😀"`]],
    ['characters of every length', '{"é":"€😀\x7f"}', ['{"é":"€😀\x7f"}']],
    ['no value at all', ' \r\n\t ', []],
    ['equal keys in different objects', '{"a":{"a":1},"b":[{"a":1},{"a":2}]}', ['{"a":{"a":1},"b":[{"a":1},{"a":2}]}']],
  ])('are read: %s', (_, stream, expected) => {
    expect(briefs(stream)).toEqual(expected);
  });

  test.each(['{"a":[1]}', '[[],{}]', '"a\\"b"'])('are there with their last byte: %s', (text) => {
    const values = new JsonStream();
    values.push(Buffer.from(text.slice(0, -1)));
    expect(values.next()).toBeUndefined();
    values.push(Buffer.from(text.slice(-1)));
    expect(values.next()).toEqual({ ok: true, value: JSON.parse(text) });
    expect(values.next()).toBeUndefined();
  });

  test('that are numbers or literals wait for a delimiter or the end', () => {
    const values = new JsonStream();
    values.push(Buffer.from('12'));
    values.push(Buffer.from('34'));
    expect(values.next()).toBeUndefined();
    values.push(Buffer.from(' nul'));
    expect(values.next()).toEqual({ ok: true, value: 1234 });
    values.push(Buffer.from('l'));
    expect(values.next()).toBeUndefined();
    values.end();
    expect(values.next()).toEqual({ ok: true, value: null });
  });

  test('keep a key named __proto__ to themselves', () => {
    const [incoming] = read('{"__proto__":{"x":1}}');
    expect(incoming?.ok && Object.keys(incoming.value as object)).toEqual(['__proto__']);
  });

  test('may come in a plain Uint8Array that views a part of its buffer', () => {
    const values = new JsonStream();
    values.push(new Uint8Array(new TextEncoder().encode('xx[1]xx').buffer, 2, 3));
    expect(take(values)).toEqual([{ ok: true, value: [1] }]);
  });

  test('that are large cost linear time, however small the chunks are', () => {
    const values = new JsonStream();
    const chunk = Buffer.from(`"${'a member'.repeat(125)}",`);
    values.push(Buffer.from('['));
    for (let i = 0; i < 16_384; i += 1) values.push(chunk);
    values.push(Buffer.from('0]'));
    const incoming = values.next();
    expect(incoming?.ok && (incoming.value as unknown[]).length).toBe(16_384 + 1);
  });
});

describe('a number that JavaScript writes otherwise', () => {
  const numbersOf = (text: string) => {
    const incoming = read(text)[0];
    expect(readBytewise(text)[0]).toEqual(incoming);
    return incoming?.ok ? incoming.numbers && Object.fromEntries(incoming.numbers) : undefined;
  };

  test('comes with its text if it stands right in the value', () => {
    const text =
      '{"a":12345678901234567890,"b":{"a":1e400},"c":1e400,"d":1.0,"e":-0,"f":5,"g":[1.0],"h":true,"i":null}';
    expect(numbersOf(text)).toEqual({ a: '12345678901234567890', c: '1e400', d: '1.0', e: '-0' });
    expect(numbersOf('{"\\u0061":9007199254740993}')).toEqual({ a: '9007199254740993' });
  });

  test('leaves nothing for the next value', () => {
    expect(read('{"a":1.0}\n{"b":2}\n{"c": 3}').map((each) => each.ok && each.numbers?.size)).toEqual([
      1,
      undefined,
      undefined,
    ]);
  });

  test('comes without its text elsewhere', () => {
    for (const text of ['[1.0]', '1.0', '{"a":[1.0]}', '{"a":1,"b":-2.5}']) expect(numbersOf(text)).toBeUndefined();
  });
});

describe('the byte order mark', () => {
  test('is a fault when torn, though a whole line follows in a chunk of its own', () => {
    const torn = Buffer.from([0xef, ...Buffer.from('{"a":1}\n2')]);
    const whole = read(torn);
    expect(whole.map(brief)).toEqual(['! expected a value, found a torn byte order mark (line 1, column 1)', '2']);
    expect(read(torn, {}, [1, 9])).toEqual(whole);
  });

  test('is skipped at the start of the stream', () => {
    expect(briefs('\ufeff{"a":1}')).toEqual(['{"a":1}']);
    expect(briefs('\ufeff')).toEqual([]);
  });

  test('is a fault anywhere else', () => {
    expect(briefs('\ufeff\ufeff1\n2')).toEqual(['! expected a value, found "\ufeff1" (line 1, column 1)', '2']);
    expect(briefs(' \ufeff1\n2')).toEqual(['! expected a value, found "\ufeff1" (line 1, column 2)', '2']);
  });

  test.each([[[0xef]], [[0xef, 0xbb]]])('is a fault when torn: %j', (torn) => {
    const found = '! expected a value, found a torn byte order mark (line 1, column 1)';
    expect(briefs(Buffer.from([...torn, ...Buffer.from('{}\n1')]))).toEqual([found, '1']);
    expect(briefs(Buffer.from([...torn, ...Buffer.from('\n1')]))).toEqual([found, '1']);
    expect(briefs(Buffer.from(torn))).toEqual(['! the text ends inside a byte order mark (line 1, column 1)']);
  });

  test('and white space leave the stream empty, a value or fault does not', () => {
    const values = new JsonStream();
    expect(values.empty).toBe(true);
    values.push(Buffer.from('\ufeff \n\t'));
    expect(values.empty).toBe(true);
    values.push(Buffer.from('}'));
    expect(values.empty).toBe(false);
    values.end();
    expect(values.empty).toBe(false);
  });
});

describe('a fault', () => {
  test.each([
    ['}', 'expected a value, found "}" (line 1, column 1)'],
    [':', 'expected a value, found ":" (line 1, column 1)'],
    ['\0', 'expected a value, found the control character 0x00 (line 1, column 1)'],
    ['[1,]', 'expected a value, found "]" (line 1, column 4)'],
    ['[1 2]', 'expected a comma or "]" after an element, found "2" (line 1, column 4)'],
    ['[1}', 'expected a comma or "]" after an element, found "}" (line 1, column 3)'],
    ['[:', 'expected a value or "]", found ":" (line 1, column 2)'],
    ['[}', 'expected a value or "]", found "}" (line 1, column 2)'],
    ['{a:1}', 'expected a key in double quotes or "}", found "a" (line 1, column 2)'],
    ['{1:1}', 'expected a key in double quotes or "}", found "1" (line 1, column 2)'],
    ['{]', 'expected a key in double quotes or "}", found "]" (line 1, column 2)'],
    ['{"a":1,}', 'expected a key in double quotes, found "}" (line 1, column 8)'],
    ['{"a" 1}', 'expected a colon after a key, found "1" (line 1, column 6)'],
    ['{"a"\x7f', 'expected a colon after a key, found the control character 0x7f (line 1, column 5)'],
    ['{"a"é', 'expected a colon after a key, found a character outside ASCII (line 1, column 5)'],
    ['{"a":}', 'expected a value, found "}" (line 1, column 6)'],
    ['{"é":"😀" "b"}', `expected a comma or "}" after a member, found '"' (line 1, column 11)`],
    ['{"a":1]', 'expected a comma or "}" after a member, found "]" (line 1, column 7)'],
    ['{\n "a": 1\n "b": 2', `expected a comma or "}" after a member, found '"' (line 3, column 2)`],
    ['"a\nb', 'expected an escape or the end of a string, found a line break (line 1, column 3)'],
    ['"a\tb', 'expected an escape or the end of a string, found a tab (line 1, column 3)'],
    ['"a\x1fb', 'expected an escape or the end of a string, found the control character 0x1f (line 1, column 3)'],
  ])('is found in the structure: %j', (text, message) => {
    expect(briefs(text)[0]).toBe(`! ${message}`);
    expect(briefs(`${text}\n{"next":1}`).at(-1)).toBe('{"next":1}');
  });

  test.each([
    ['nul', 'expected a value, found "nul" (line 1, column 1)'],
    ['[1, 01]', 'expected a value, found "01" (line 1, column 5)'],
    ['{"a": True}', 'expected a value, found "True" (line 1, column 7)'],
    ["{\n 'a'}", `expected a key in double quotes or "}", found "'" (line 2, column 2)`],
    ['[1.]', 'expected a value, found "1." (line 1, column 2)'],
    ['[.5]', 'expected a value, found ".5" (line 1, column 2)'],
    ['[+1]', 'expected a value, found "+1" (line 1, column 2)'],
    ['[1e]', 'expected a value, found "1e" (line 1, column 2)'],
    ['[-]', 'expected a value, found "-" (line 1, column 2)'],
    ['[true\u0085\x7f]', 'expected a value, found "true\\u0085\\u007f" (line 1, column 2)'],
    [`[${'abcde'.repeat(9)}]`, 'expected a value, found "abcdeabcdeabcdeabcde" (line 1, column 2)'],
    [String.raw`["C:\Users"]`, 'expected one of " \\ / b f n r t u after a backslash, found "U" (line 1, column 6)'],
    [String.raw`["\u12x4"]`, 'expected four hexadecimal digits after \\u, found "x" (line 1, column 7)'],
    [String.raw`["\u123"]`, `expected four hexadecimal digits after \\u, found '"' (line 1, column 8)`],
    [String.raw`["\u12"]`, `expected four hexadecimal digits after \\u, found '"' (line 1, column 7)`],
  ])('is found in a token or escape: %j', (text, message) => {
    expect(briefs(`${text}\n{"next":1}`)).toEqual([`! ${message}`, '{"next":1}']);
    expect(briefs(text)).toEqual([`! ${message}`]);
  });

  test('is found in a number or word that is longer than 1 KiB', () => {
    const long = `0.${'1'.repeat(1022)}`;
    const message = '! expected a value, found a word or number longer than 1 KiB (line 2, column 1)';
    expect(briefs(`[${long}]`)).toEqual([`[${Number(long)}]`]);
    expect(briefs(`[\n${long}1,\n1]\n2`)).toEqual([message, '2']);
    expect(briefs(`[\n${long}1`)).toEqual([message]);
  });

  test.each([
    ['a lone lead byte', [0x22, 0x61, 0x62, 0xe9, 0x22], 'line 1, column 4'],
    ['a surrogate', [0x5b, 0x0a, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x5d], 'line 2, column 2'],
    ['an overlong form', [0x22, 0xc3, 0xa9, 0xc0, 0xaf, 0x22], 'line 1, column 3'],
  ])('is found where text is not UTF-8: %s', (_, bytes, place) => {
    const stream = Buffer.concat([Buffer.from(bytes), Buffer.from(' 1\n2')]);
    expect(briefs(stream)).toEqual([`! found a byte that is not UTF-8 (${place})`, '2']);
  });

  test.each([
    ['{', 'an object', 2],
    ['{"a":[1]', 'an object', 9],
    ['{"a":1', 'an object', 7],
    ['[{}', 'an array', 4],
    ['[nul', 'an array', 5],
    ['{"a', 'a string', 4],
    ['"a\\', 'a string', 4],
    ['"\\u12', 'a string', 6],
  ])('is found where the stream ends: %s', (text, where, column) => {
    expect(briefs(`1\n${text}`)).toEqual(['1', `! the text ends inside ${where} (line 2, column ${column})`]);
  });

  test('is told with its line and column in the stream', () => {
    expect(briefs('{"a":1}  garbage')).toEqual(['{"a":1}', '! expected a value, found "garbage" (line 1, column 10)']);
    expect(briefs('{"a":"ä😀"} x\n"ok"\n\n  [1,]')).toEqual([
      '{"a":"ä😀"}',
      '! expected a value, found "x" (line 1, column 13)',
      '"ok"',
      '! expected a value, found "]" (line 4, column 6)',
    ]);
    const long = JSON.stringify({ text: 'x'.repeat(5000) });
    expect(briefs(`${long} y\n${long}\nz`).slice(1)).toEqual([
      `! expected a value, found "y" (line 1, column ${long.length + 2})`,
      long,
      '! expected a value, found "z" (line 3, column 1)',
    ]);
    expect(briefs('[[[[1]]]] a\n"\tb"\nc', { maxDepth: 3 })).toEqual([
      TOO_DEEP,
      '! expected a value, found "a" (line 1, column 11)',
      '! expected an escape or the end of a string, found a tab (line 2, column 2)',
      '! expected a value, found "c" (line 3, column 1)',
    ]);
  });

  test.each([
    ['[1,]', 'let a JSON library write the request'],
    ['nul', 'let a JSON library write the request'],
    ['{"a":1', 'let a JSON library write the request'],
    [Buffer.from([0x22, 0xff, 0x22]), 'encode the request as UTF-8'],
  ])('names a next step: %s', (text, suggestion) => {
    expect(read(text)).toEqual([{ ok: false, message: expect.any(String), suggestion }]);
  });

  test('costs the rest of its line and nothing more', () => {
    expect(briefs('{} } {"lost":1}\n{"a":1}\n')).toEqual(['{}', expect.stringContaining('found "}"'), '{"a":1}']);
    expect(briefs('[nul]\n1 2')).toEqual([expect.stringContaining('found "nul"'), '1', '2']);
    expect(briefs(String.raw`"\u12"${'\n'}"\n"`)).toEqual([expect.stringContaining('hexadecimal'), String.raw`"\n"`]);
    expect(briefs('}\r\n1')).toEqual([expect.stringContaining('found "}"'), '1']);
  });

  test('in a token or escape costs the line on which its value ends', () => {
    expect(briefs('{\n "a": nul,\n "b": "\\x",\n "c": [True]\n} 1\n2')).toEqual([
      '! expected a value, found "nul" (line 2, column 7)',
      '2',
    ]);
  });

  test('of a value that was cut short leaves the next line alone when that starts with a brace', () => {
    expect(briefs('{"a":1,\n{"b":2}\n')).toEqual([
      '! expected a key in double quotes, found "{" (line 2, column 1)',
      '{"b":2}',
    ]);
    expect(briefs('{"a":tru\n{"b":2}\n')).toEqual(['! expected a value, found "tru" (line 1, column 6)', '{"b":2}']);
    expect(briefs('{"a":1\n {"lost":2}\n3')).toEqual([expect.stringContaining('line 2, column 2'), '3']);
    expect(briefs('{"a":1\n[4]\n3')).toEqual([expect.stringContaining('line 2, column 1'), '3']);
  });

  test('of a value on its first line takes the whole line, though it is at a brace', () => {
    expect(briefs('{{"a":1}\n2')).toEqual([expect.stringContaining('line 1, column 2'), '2']);
  });
});

const TOO_DEEP = '! nested deeper than 3 levels';

test.each([
  ['a duplicate key', '{"a":1,"a":['],
  ['a bad escape', '{"a":"\\x","b":['],
  ['a word that is none', '[nul,['],
])('a line with %s that is not closed takes no other line with it', (_, line) => {
  const [refused, ...others] = briefs(`${line}\n{"a":1}\n{"b":2}\n`);
  expect(refused).toMatch(/^! /);
  expect(others).toEqual(['{"a":1}', '{"b":2}']);
});

test('a line that is too long takes no other line with it', () => {
  const answers = briefs(`[${'1,'.repeat(50)}\n{"a":1}\n{"b":2}\n`, { maxBytes: 40 });
  expect(answers).toEqual(['! a value is larger than 40 bytes', '{"a":1}', '{"b":2}']);
});

test('a value with too many values is refused at once, and the next ones are read', () => {
  const list = `[${'0,'.repeat(90_000)}0]`;
  const values = new JsonStream();
  values.push(Buffer.from(`{"a":${list},"b":${list.slice(0, 100_000)}`));
  expect(values.next()).toMatchObject({ ok: false, message: 'invalid JSON: it has more than 120000 values' });
  expect(briefs(`{"a":${list},"b":${list}}${list}{}`)).toEqual(['! it has more than 120000 values', list, '{}']);
});

describe('a value that is too deep', () => {
  test('is refused from the level after the last one on', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    expect(briefs(nested(64))).toEqual([nested(64)]);
    expect(briefs(nested(65))).toEqual(['! nested deeper than 64 levels']);
    expect(briefs('{"a":{"b":{"c":1}}}', { maxDepth: 3 })).toEqual(['{"a":{"b":{"c":1}}}']);
    expect(briefs('{"a":{"b":{"c":{}}}}', { maxDepth: 3 })).toEqual([TOO_DEEP]);
    expect(briefs('1 {"a":[]} 2', { maxDepth: 0 })).toEqual(['1', '! nested deeper than 0 levels', '2']);
  });

  test('is refused at once', () => {
    const values = new JsonStream();
    values.push(Buffer.from('['.repeat(65)));
    expect(values.next()).toEqual({
      ok: false,
      message: 'invalid JSON: nested deeper than 64 levels',
      suggestion: 'send it with at most 64 levels',
    });
    values.end();
    expect(values.next()).toBeUndefined();
  });

  test('is refused once and skipped by its own structure', () => {
    const deep = JSON.stringify({ a: { b: { c: { d: ['}}', '\\"]]', { e: 1 }], f: {} }, g: [[[]]] } } }, null, 2);
    expect(briefs(`${deep} 1\n${deep}{}`, { maxDepth: 3 })).toEqual([TOO_DEEP, '1', TOO_DEEP, '{}']);
  });

  test('is not checked for its grammar while it is skipped', () => {
    expect(briefs('[[[["x" {} nul}}]] 2', { maxDepth: 3 })).toEqual([TOO_DEEP, '2']);
  });

  test('is left at a raw line break in a string, or at a brace that cannot be its own', () => {
    const good = '{"a":1}\n{"b":2}';
    expect(briefs(`[[[[["x\n${good}`, { maxDepth: 3 })).toEqual([TOO_DEEP, '{"a":1}', '{"b":2}']);
    expect(briefs(`[[[[["x"\n${good}`, { maxDepth: 3 })).toEqual([TOO_DEEP, '{"a":1}', '{"b":2}']);
    expect(briefs(`[[[[[{\n${good}`, { maxDepth: 3 })).toEqual([TOO_DEEP, '{"a":1}', '{"b":2}']);
    expect(briefs('[\n[[[1,\n{"a":\n{}},[\n{}\n]]]]]2', { maxDepth: 3 })).toEqual([TOO_DEEP, '2']);
  });

  test.each(['[[[[', '[[[[[[', '[[[[1,', '{"a":{"b":{"c":{"d":', '[[[[{"a":"b",', '[[[[[]', '[[[["x", "y",'])(
    'takes no other line with it if it is not closed: %s',
    (line) => {
      for (const end of ['\n', '\r\n']) {
        expect(briefs(`${line}${end}{"a":1}\n{"b":2}\n`, { maxDepth: 3 })).toEqual([TOO_DEEP, '{"a":1}', '{"b":2}']);
      }
    },
  );

  test('costs no memory while it is skipped', () => {
    const values = new JsonStream();
    const chunk = Buffer.from('[{"a":'.repeat(10_000));
    values.push(chunk);
    const before = memoryInUse();
    for (let i = 0; i < 500; i += 1) values.push(chunk);
    expect(memoryInUse() - before).toBeLessThan(20_000_000);
    expect(take(values)).toHaveLength(1);
  });
});

describe('a value that is too large', () => {
  const options = { maxBytes: 10 };

  test('is refused from the byte after the last one on', () => {
    expect(briefs('"12345678"\n"123456789"\n', options)).toEqual(['"12345678"', '! a value is larger than 10 bytes']);
    expect(briefs('1234567890', options)).toEqual(['1234567890']);
    expect(briefs('1234567890 1 12345678901 2', options)).toEqual([
      '1234567890',
      '1',
      '! a value is larger than 10 bytes',
      '2',
    ]);
    expect(briefs('[1234567,8]', options)).toEqual(['! a value is larger than 10 bytes']);
    expect(briefs('  {"a":[123]}  ', options)).toEqual(['! a value is larger than 10 bytes']);
    expect(briefs('  {"a":[12]}  ', options)).toEqual(['{"a":[12]}']);
  });

  test('is refused at once, once, and skipped by its own structure', () => {
    const values = new JsonStream(options);
    values.push(Buffer.from('{\n  "a": 1,'));
    expect(values.next()).toEqual({
      ok: false,
      message: 'invalid JSON: a value is larger than 10 bytes',
      suggestion: 'send less in one request',
    });
    values.push(Buffer.from('\n  "b": "}\\"", "b": {}, "c": [\n{}]\n} 1 '));
    expect(take(values)).toEqual([{ ok: true, value: 1 }]);
  });

  test('is refused with the limit in MiB where that is whole', () => {
    const text = `"${'x'.repeat(2 ** 20)}"`;
    expect(read(text, { maxBytes: 2 ** 20 }).map(brief)).toEqual(['! a value is larger than 1 MiB']);
    expect(read(`"${'x'.repeat(2 ** 26 - 2)}"`)[0]?.ok).toBe(true);
    expect(read(`"${'x'.repeat(2 ** 26 - 1)}"`).map(brief)).toEqual(['! a value is larger than 64 MiB']);
  });

  test('costs no memory while it is skipped', () => {
    const values = new JsonStream(options);
    const chunk = Buffer.from('"0123456789",'.repeat(10_000));
    values.push(Buffer.from('['));
    values.push(chunk);
    const before = memoryInUse();
    for (let i = 0; i < 200; i += 1) values.push(chunk);
    expect(memoryInUse() - before).toBeLessThan(20_000_000);
    expect(take(values)).toHaveLength(1);
  });
});

describe('a value with a duplicate key', () => {
  const manyKeys = Array.from({ length: 40 }, (_, i) => `"key${i}":{"key${i}":0}`).join(',');

  test.each([
    ['{"tool":1,"args":{},"tool":2}', 'duplicate key "tool"'],
    [String.raw`{"a":1,"\u0061":2}`, 'duplicate key "a"'],
    [String.raw`{"\/\n":1,"/\u000a":2}`, String.raw`duplicate key "/\n"`],
    ['{"":1,"":2}', 'duplicate key ""'],
    ['{"é":1,"\\u00e9":2}', 'duplicate key "é"'],
    ['[{"x":{"b":1,"c":{"b":1},"b":2}}]', 'duplicate key "b"'],
    ['{"a":{"b":1,"c":2},"a":1}', 'duplicate key "a"'],
    [`{${'"\\u0085'.padEnd(60, 'x')}":1,${'"\\u0085'.padEnd(60, 'x')}":1}`, `duplicate key "\\u0085${'x'.repeat(39)}"`],
  ])('is refused: %j', (text, message) => {
    expect(briefs(`${text} 1`)).toEqual([`! ${message}`, '1']);
  });

  test('is refused though the object has many keys', () => {
    for (const key of ['key0', 'key16', 'key17', 'key39']) {
      expect(briefs(`{${manyKeys},"${key}":1} 1`)).toEqual([`! duplicate key "${key}"`, '1']);
    }
  });

  test('is told from one whose keys only look alike', () => {
    const texts = [
      `[{${manyKeys}},{${manyKeys}}]`,
      '{"a":1,"A":2,"a ":3}',
      '{"e\u0301":1,"\u00e9":2}',
      '{"\\ud800":1,"\ufffd":2}',
    ];
    for (const text of texts) expect(read(text)).toEqual([{ ok: true, value: JSON.parse(text) }]);
  });

  test('is not seen in one that follows a broken one', () => {
    expect(briefs(`{${manyKeys} x}\n{${manyKeys}}`)).toEqual([
      expect.stringContaining('found "x"'),
      JSON.stringify(JSON.parse(`{${manyKeys}}`)),
    ]);
  });

  test('is searched for in linear time', () => {
    const text = `{${Array.from({ length: 100_000 }, (_, i) => `"key${i}":0`).join(',')}}`;
    expect(read(text)[0]?.ok).toBe(true);
  });

  test('is refused at once, once, and skipped by its own structure', () => {
    const values = new JsonStream();
    values.push(Buffer.from('{\n "a": 1,\n "a"'));
    expect(values.next()).toEqual({
      ok: false,
      message: 'invalid JSON: duplicate key "a"',
      suggestion: 'give each key of an object once',
    });
    values.push(Buffer.from(': 1,\n "a": [{"b":1,"b":2}, "\\x", nul]\n} 1 '));
    expect(take(values)).toEqual([{ ok: true, value: 1 }]);
  });

  test('is given up without a second answer when it breaks off', () => {
    expect(briefs('{"a":1,"a":2\n{"b":1}')).toEqual(['! duplicate key "a"', '{"b":1}']);
    expect(briefs('{"a":1,"a":2 x}\n2')).toEqual(['! duplicate key "a"', '2']);
    expect(briefs('{"a":1,"a":')).toEqual(['! duplicate key "a"']);
  });
});

const cuts = fc.array(fc.nat(), { maxLength: 12 });
const alphabet = [...'{}[]",:\\\n \t-+.0123eEtrufalsn/bxé\ufeff\u2028😀', 'true', 'null', '"a"', '"a":', '{"a":1}'];
const jsonLike = fc.array(fc.constantFrom(...alphabet), { maxLength: 40 }).map((parts) => Buffer.from(parts.join('')));
const garbage = fc.oneof(
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  jsonLike,
  fc.tuple(jsonLike, fc.uint8Array({ maxLength: 3 }), jsonLike).map((parts) => Buffer.concat(parts)),
);
const smallLimits = fc.record({ maxDepth: fc.nat(4), maxBytes: fc.integer({ min: 1, max: 40 }) });

describe('any stream', () => {
  test('of values gives them back, equal and in order, however it is printed and cut', () => {
    const printed = fc.tuple(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2, '\t'));
    fc.assert(
      fc.property(fc.array(printed), cuts, fc.constantFrom('\n', '\r\n', '\n\n  '), (list, places, newline) => {
        const texts = list.map(([value, indent]) => JSON.stringify(value, null, indent));
        const expected = texts.map((text) => ({ ok: true, value: JSON.parse(text) }));
        expect(read(texts.join(newline), {}, places)).toEqual(expected);
      }),
      { numRuns: 500 / inject('runsDivisor') },
    );
  });

  test('of objects and arrays gives them back though nothing stands between them', () => {
    const texts = fc.array(fc.oneof(fc.object(), fc.array(fc.jsonValue())).map((value) => JSON.stringify(value)));
    fc.assert(
      fc.property(texts, cuts, (list, places) => {
        const expected = list.map((text) => ({ ok: true, value: JSON.parse(text) }));
        expect(read(list.join(''), {}, places)).toEqual(expected);
      }),
    );
  });

  test('of bytes ends, never throws, is answered alike however it is cut, and holds no value that JSON.parse refuses', () => {
    fc.assert(
      fc.property(garbage, cuts, fc.oneof(fc.constant({}), smallLimits), (bytes, places, options) => {
        const whole = read(bytes, options);
        expect(read(bytes, options, places)).toEqual(whole);
        expect(readBytewise(bytes, options)).toEqual(whole);
        whole.forEach(brief);
        if (whole.length === 1 && whole[0]?.ok) expect(parseStrictly(bytes)).toEqual(whole[0].value);
        if (whole.length === 1 && !isTornBom(bytes)) expect(parseJson(bytes, options)).toEqual(whole[0]);
      }),
      { numRuns: 5_000 / inject('runsDivisor') },
    );
  });

  test('of mutated JSON is accepted and refused as by JSON.parse', () => {
    const text = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value));
    const edit = fc.record({
      at: fc.nat(),
      cut: fc.nat(3),
      put: fc.oneof(fc.constant(''), fc.constantFrom(...alphabet)),
    });
    fc.assert(
      fc.property(text, fc.array(edit, { minLength: 1, maxLength: 3 }), (original, edits) => {
        const mutated = Buffer.from(edits.reduce(applyEdit, original)).toString();
        fc.pre(!mutated.startsWith('\ufeff'));
        const [first, ...others] = read(mutated);
        fc.pre(first?.ok !== false || !first.message.includes('duplicate key'));
        expect(first?.ok === true && others.length === 0).toBe(isAccepted(mutated));
      }),
      { numRuns: 5_000 / inject('runsDivisor') },
    );
  });

  test('loses no good line after one that was cut short', () => {
    const line = fc
      .dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 })
      .map((value) => JSON.stringify(value));
    const short = fc
      .tuple(line, fc.nat())
      .map(([text, end]) => text.slice(0, 1 + (end % (text.length - 1))))
      .filter(isPlainlyBroken);
    fc.assert(fc.property(fc.array(line), short, fc.array(line), cuts, expectOneFault), {
      numRuns: 1_000 / inject('runsDivisor'),
    });
  });

  test('loses no good line after one of garbage', () => {
    const good = fc
      .dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 })
      .map((value) => JSON.stringify(value));
    const bad = jsonLike.map((bytes) => `${bytes.toString().replaceAll('\n', ' ')}`).filter(isPlainlyBroken);
    fc.assert(
      fc.property(bad, fc.array(good, { minLength: 1 }), cuts, (line, after, places) => {
        const taken = read([line, ...after].join('\n'), {}, places);
        expect(taken.slice(-after.length)).toEqual(after.map((text) => ({ ok: true, value: JSON.parse(text) })));
      }),
      { numRuns: 1_000 / inject('runsDivisor') },
    );
  });
});

function parseStrictly(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
}

/** Reports whether a text begins with a part of a byte order mark, which only a stream knows to be one. */
function isTornBom(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && !(bytes[1] === 0xbb && bytes[2] === 0xbf);
}

function applyEdit(text: string, { at, cut, put }: { at: number; cut: number; put: string }): string {
  const start = at % (text.length + 1);
  return text.slice(0, start) + put + text.slice(start + cut);
}

function isAccepted(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Not so where a value is still to come, since the next line is then a part of the broken one. */
function isPlainlyBroken(line: string): boolean {
  return !/[:[,]\s*$/.test(line);
}

function expectOneFault(before: string[], short: string, after: string[], places: number[]): void {
  const taken = read([...before, short, ...after].join('\n'), {}, places);
  const ok = (text: string): Incoming => ({ ok: true, value: JSON.parse(text) });
  expect(taken).toEqual([
    ...before.map(ok),
    { ok: false, message: expect.any(String), suggestion: expect.any(String) },
    ...after.map(ok),
  ]);
}
