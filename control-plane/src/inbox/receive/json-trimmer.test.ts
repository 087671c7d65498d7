import {
  array,
  assert,
  constantFrom,
  dictionary,
  double,
  integer,
  letrec,
  oneof,
  property,
  string,
  tuple,
} from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonTrimmer, type Keep, TooMuchKept, UnreadableJson } from './json-trimmer.ts';

type Shape = Exclude<Keep, true>;
const encoder = new TextEncoder();

function trim(text: string, keep: Shape, pieceBytes = 7, maxBytes = 1_000_000): unknown {
  const trimmer = new JsonTrimmer(keep, maxBytes);
  const bytes = encoder.encode(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    trimmer.push(bytes.subarray(at, at + pieceBytes));
  }
  return JSON.parse(new TextDecoder().decode(trimmer.end())) as unknown;
}

/** What is to come out, by a parser that has everything in memory. */
function picked(value: unknown, keep: Keep): unknown {
  if (keep === true || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one: unknown) => picked(one, keep));
  const entries = Object.entries(value).filter(([name]) => Object.hasOwn(keep, name));
  return Object.fromEntries(entries.map(([name, one]) => [name, picked(one, keep[name] ?? true)]));
}

describe('what is kept of a long JSON text', () => {
  const keep = { a: true, b: { a: true, c: { a: true } }, c: { b: true } } as const;

  it('is what was named, in whatever pieces and spaces it comes', () => {
    // Of two names that are one escaped sign each, JSON.parse of Node 24 may answer the other.
    const name = constantFrom('a', 'b', 'c', 'd', 'long name', '"', 'a\\', 'ä', '__proto__');
    const { tree } = letrec((tie) => ({
      tree: oneof(
        { maxDepth: 5 },
        oneof(string({ unit: 'binary' }), double({ noNaN: true, noDefaultInfinity: true })),
        constantFrom(null, true, false, '\\', '"', '}', ']', '\\"'),
        array(tie('tree'), { maxLength: 4 }),
        dictionary(name, tie('tree'), { maxKeys: 5 }),
      ),
    }));
    const whole = dictionary(name, tree);
    const texts = tuple(whole, constantFrom(undefined, 1, '\t'), integer({ min: 1, max: 40 }));
    assert(
      property(texts, ([value, space, pieceBytes]) => {
        const text = JSON.stringify(value, null, space);
        expect(trim(text, keep, pieceBytes)).toEqual(picked(JSON.parse(text), keep));
      }),
      { numRuns: 500 },
    );
  });

  it('is nothing of a text that is no JSON or breaks off', () => {
    const texts = [
      '',
      ' ',
      '{',
      '{"a"',
      '{"a":',
      '{"a":1',
      '{"d":[1',
      '{"a":"x',
      '{} {}',
      '{}x',
      '[]',
      '1',
    ];
    const more = [
      '{"a":1]',
      '{"a":1,,"b":1}',
      '{"a" 1}',
      '{1:2}',
      '{"a":}',
      ']',
      '{"b":{]}',
      '{,}',
    ];
    for (const text of [...texts, ...more]) {
      expect(() => trim(text, keep), text).toThrow(UnreadableJson);
    }
    // Only what is kept is looked at closely.
    expect(() => trim('{"a":yes}', keep)).toThrow(SyntaxError);
  });

  it('is refused when it is too long or nested too deep, kept or not', () => {
    const deep = (name: string) => `{"${name}":${'['.repeat(70)}${']'.repeat(70)}}`;
    expect(() => trim(deep('a'), keep)).toThrow(UnreadableJson);
    expect(() => trim(deep('d'), keep)).toThrow(UnreadableJson);
    expect(() => trim(deep('c'), keep)).toThrow(UnreadableJson);
    const long = JSON.stringify({ a: 'x'.repeat(2_000) });
    expect(() => trim(long, keep, 100, 1_000)).toThrow(TooMuchKept);
    expect(trim(JSON.stringify({ d: 'x'.repeat(2_000), a: 1 }), keep, 100, 1_000)).toEqual({
      a: 1,
    });
  });

  it('is all that is held in memory', () => {
    const trimmer = new JsonTrimmer(keep, 1_000_000);
    trimmer.push(encoder.encode('{"d":"'));
    for (let at = 0; at < 100; at += 1) trimmer.push(new Uint8Array(65_536).fill(120));
    trimmer.push(encoder.encode(`","${'n'.repeat(100_000)}":1,"a":2}`));
    expect(trimmer.heldBytes).toBe(4_096);
    expect(new TextDecoder().decode(trimmer.end())).toBe('{"a":2}');
  });
});
