import { type Incoming, type JsonLimits, parseJson } from '@jinn/core/text';
import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { JsonLines } from './request.ts';

function take(values: JsonLines): Incoming[] {
  const taken: Incoming[] = [];
  for (let incoming = values.next(); incoming; incoming = values.next()) taken.push(incoming);
  return taken;
}

/** Reads the whole stream in chunks that end at the given places, each overwritten as soon as it was pushed. */
function read(stream: string | Uint8Array, options: JsonLimits = {}, cuts: readonly number[] = []): Incoming[] {
  const bytes = Buffer.from(stream);
  const values = new JsonLines(options);
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

/** What was read, one entry each: the value as JSON, or the message without its fixed beginning. */
function brief(incoming: Incoming): string {
  if (incoming.ok) return JSON.stringify(incoming.value);
  expect(incoming.message).toMatch(/^invalid JSON: [^\p{Cc}]+$/u);
  return `! ${incoming.message.slice('invalid JSON: '.length)}`;
}

function briefs(stream: string | Uint8Array, options: JsonLimits = {}): string[] {
  const whole = read(stream, options);
  const everywhere = [...Array(Buffer.from(stream).length).keys()];
  expect(read(stream, options, everywhere)).toEqual(whole);
  return whole.map(brief);
}

const MORE = '! there is more than one value';
const TOO_DEEP = '! nested deeper than 3 levels';

describe('values', () => {
  test.each([
    ['one a line', '{"a":1}\n[2]\n"x"\n3\ntrue\nnull\n', ['{"a":1}', '[2]', '"x"', '3', 'true', 'null']],
    ['lines of Windows', '{"a": 1}\r\n[2]\r\n', ['{"a":1}', '[2]']],
    ['pretty-printed', '{\n  "a": [\r\n\t1,\n\n 2\n  ],\n  "b": {}\n}\n[\n]', ['{"a":[1,2],"b":{}}', '[]']],
    ['brackets in strings', '{"a": "}]\\"}",\n"b": "\\\\"\n}\n1', ['{"a":"}]\\"}","b":"\\\\"}', '1']],
    ['an object that begins a line within another', '[\n{"a":1},\n{"b":\n{}}\n]\n2', ['[{"a":1},{"b":{}}]', '2']],
    ['without a newline at the end', '{"a":1}\n12', ['{"a":1}', '12']],
    ['blank lines', ' \r\n\n{}\n\t\n', ['{}']],
    ['no value at all', ' \r\n\t ', []],
    ['after a byte order mark', '\ufeff{"a":1}\n2', ['{"a":1}', '2']],
  ])('are read: %s', (_, stream, expected) => {
    expect(briefs(stream)).toEqual(expected);
  });

  test('are there with their last byte if they are an object', () => {
    const values = new JsonLines();
    values.push(Buffer.from('{"a": 1}'));
    expect(values.next()).toEqual({ ok: true, value: { a: 1 } });
    values.push(Buffer.from('\n{"b"'));
    expect(values.next()).toBeUndefined();
    values.push(Buffer.from(':1}\n'));
    expect(take(values)).toEqual([{ ok: true, value: { b: 1 } }]);
  });

  test('may come in a plain Uint8Array that views a part of its buffer', () => {
    const values = new JsonLines();
    values.push(new Uint8Array(new TextEncoder().encode('xx[1]\nxx').buffer, 2, 4));
    expect(take(values)).toEqual([{ ok: true, value: [1] }]);
  });

  test('that are large cost linear time, however small the chunks and lines are', () => {
    const values = new JsonLines();
    const chunk = Buffer.from(`"${'a member'.repeat(125)}",\n`);
    values.push(Buffer.from('['));
    for (let i = 0; i < 16_384; i += 1) values.push(chunk);
    values.push(Buffer.from('0]\n'));
    const incoming = values.next();
    expect(incoming?.ok && (incoming.value as unknown[]).length).toBe(16_384 + 1);
  });

  test('leave the stream not empty; white space and a byte order mark do not', () => {
    const values = new JsonLines();
    expect(values.empty).toBe(true);
    values.push(Buffer.from('\ufeff \n\t\n'));
    expect(values.empty).toBe(true);
    values.push(Buffer.from('}\n'));
    expect(values.empty).toBe(false);
  });
});

test('a number that JavaScript writes otherwise comes with its text', () => {
  const [first, second] = read('{"a":12345678901234567890,"b":1.0,\n"c":5}\n{"c": 3}');
  expect(first?.ok && first.numbers && Object.fromEntries(first.numbers)).toEqual({
    a: '12345678901234567890',
    b: '1.0',
  });
  expect(second?.ok && second.numbers).toBeUndefined();
});

describe('a fault', () => {
  test.each([
    ['text that is no JSON', 'hello', '! expected a value, found "hello" (line 2, column 1)'],
    ['two values on a line', '{} {}', MORE],
    ['a value and garbage', '{"a":1}  garbage', MORE],
    ['a duplicate key', '{"a":1,"a":2}', '! duplicate key "a"'],
    [
      'a string that does not end',
      '{"a":"x',
      '! expected an escape or the end of a string, found a line break (line 2, column 8)',
    ],
    ['a line that is cut short', '{"a":1', '! the text ends inside an object (line 3, column 1)'],
    ['a duplicate key in a line that is cut short', '{"a":1,"a":[', '! duplicate key "a"'],
  ])('costs its own line: %s', (_, line, message) => {
    expect(read(`0\n${line}\n{"a":1}\n{"b":2}\n`).map(brief)).toEqual(['0', message, '{"a":1}', '{"b":2}']);
  });

  test('in a value of several lines costs that value, and is placed in the stream', () => {
    expect(briefs('0\n{\n "a": 1\n "b": 2\n}\n3')).toEqual([
      '0',
      `! expected a comma or "}" after a member, found '"' (line 4, column 2)`,
      '3',
    ]);
    expect(briefs('{\n "a": nul,\n "c": [True]\n}\n2')).toEqual([
      '! expected a value, found "nul" (line 2, column 7)',
      '2',
    ]);
    expect(briefs('[\n"x\n]\n2')).toEqual([
      expect.stringContaining('found a line break (line 2, column 3)'),
      expect.stringContaining('found "]"'),
      '2',
    ]);
  });

  test('is found where the stream ends', () => {
    expect(briefs('1\n{"a":[1]')).toEqual(['1', '! the text ends inside an object (line 2, column 9)']);
    expect(briefs('1\n{"a":\n')).toEqual(['1', '! the text ends inside an object (line 3, column 1)']);
  });

  test('names a byte that is not UTF-8', () => {
    expect(briefs(Buffer.concat([Buffer.from('["a"]\n"b'), Buffer.from([0xe9]), Buffer.from('"\n2')]))).toEqual([
      '["a"]',
      '! found a byte that is not UTF-8 (line 2, column 3)',
      '2',
    ]);
  });
});

test('a value that is too deep or has too many values is refused, and the next ones are read', () => {
  expect(briefs('[[[[1]]]]\n2', { maxDepth: 3 })).toEqual([TOO_DEEP, '2']);
  expect(briefs('[\n[\n[\n[1]\n]\n]\n]\n2', { maxDepth: 3 })).toEqual([TOO_DEEP, '2']);
  const list = `[${'0,'.repeat(90_000)}0]`;
  expect(read(`{"a":${list},"b":${list}}\n${list}\n{}`).map(brief)).toEqual([
    '! it has more than 120000 values',
    list,
    '{}',
  ]);
});

describe('a value that is too large', () => {
  const TOO_LARGE = '! a value is larger than 10 bytes';

  test.each([
    ['a line', '"123456789"\n{"a":1}\n', [TOO_LARGE, '{"a":1}']],
    ['a value of several lines', '{\n"a":1,\n"b":2\n}\n{"a":1}\n2', [TOO_LARGE, '{"a":1}', '2']],
    ['one after the other', '{"a":123456}\n{"b":123456}\n{}', [TOO_LARGE, TOO_LARGE, '{}']],
    ['none of ten bytes', '"12345678"\n{"a":[12]}\n', ['"12345678"', '{"a":[12]}']],
  ])('is refused once: %s', (_, stream, expected) => {
    expect(briefs(stream, { maxBytes: 10 })).toEqual(expected);
  });

  test('is refused before it ends, and costs no memory', () => {
    const values = new JsonLines({ maxBytes: 1_000 });
    const chunk = Buffer.from('"0123456789",\n'.repeat(10_000));
    values.push(Buffer.from('[\n'));
    values.push(chunk);
    expect(values.next()).toMatchObject({ ok: false, suggestion: 'send less in one request' });
    const before = process.memoryUsage();
    for (let i = 0; i < 200; i += 1) values.push(chunk);
    const after = process.memoryUsage();
    expect(after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers).toBeLessThan(20_000_000);
    expect(take(values)).toEqual([]);
  });

  test('counts the line ends of a value', () => {
    expect(read(`[\n${'\n'.repeat(100)}1]`, { maxBytes: 50 }).map(brief)).toEqual([
      '! a value is larger than 50 bytes',
    ]);
  });
});

const cuts = fc.array(fc.nat(), { maxLength: 12 });
const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { minKeys: 1, maxKeys: 4 });
const ok = (text: string): Incoming => ({ ok: true, value: JSON.parse(text) });

describe('any stream', () => {
  test('of values gives them back, equal and in order, however it is printed and cut', () => {
    const printed = fc.tuple(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2, '\t'));
    fc.assert(
      fc.property(fc.array(printed), cuts, fc.constantFrom('\n', '\r\n', '\n\n  '), (list, places, newline) => {
        const texts = list.map(([value, indent]) => JSON.stringify(value, null, indent));
        expect(read(texts.join(newline), {}, places)).toEqual(texts.map(ok));
      }),
      { numRuns: 500 / inject('runsDivisor') },
    );
  });

  test('loses no good line after one that was cut short', () => {
    const short = fc
      .tuple(object, fc.nat())
      .map(([value, end]) => JSON.stringify(value).slice(0, 1 + (end % (JSON.stringify(value).length - 1))))
      // Where a value is still to come, the next line is a part of the broken one.
      .filter((line) => !/[:[,]\s*$/.test(line));
    const lines = fc.array(object.map((value) => JSON.stringify(value)));
    fc.assert(
      fc.property(lines, short, lines, cuts, (before, broken, after, places) => {
        const fault = { ok: false, message: expect.any(String), suggestion: expect.any(String) };
        const taken = read([...before, broken, ...after].join('\n'), {}, places);
        expect(taken).toEqual([...before.map(ok), expect.objectContaining(fault), ...after.map(ok)]);
      }),
      { numRuns: 1_000 / inject('runsDivisor') },
    );
  });

  test('of bytes ends, never throws, and holds no value that JSON.parse refuses', () => {
    const alphabet = [...'{}[]",:\\\n \t-+.0123eEtrufalsn/bxé\ufeff\u2028😀', 'true', 'null', '"a"', '"a":', '{"a":1}'];
    const jsonLike = fc
      .array(fc.constantFrom(...alphabet), { maxLength: 40 })
      .map((parts) => Buffer.from(parts.join('')));
    const limits = fc.record({ maxDepth: fc.nat(4), maxBytes: fc.integer({ min: 1, max: 40 }) });
    fc.assert(
      fc.property(
        fc.oneof(fc.uint8Array({ maxLength: 40 }), jsonLike),
        cuts,
        fc.oneof(fc.constant({}), limits),
        (bytes, places, options) => {
          read(bytes, options, places).forEach(brief);
          const [only, ...others] = read(bytes, options);
          // A mark may also start a later line.
          const isMarked = Buffer.from(bytes).lastIndexOf('\ufeff') > 0;
          if (only?.ok && others.length === 0 && !isMarked) expect(parseJson(bytes, options)).toEqual(only);
        },
      ),
      { numRuns: 5_000 / inject('runsDivisor') },
    );
  });
});
