import { MAX_JSON_DEPTH } from '../../json-depth.ts';

/**
 * Which values to keep: `true` for a complete value, or the named members of an object; a list
 * applies it to each entry.
 */
export type Keep = true | { readonly [name: string]: Keep };

/** The text is no JSON or nested too deeply. `TooMuchKept`: the kept part is too long. */
export class UnreadableJson extends Error {}
export class TooMuchKept extends Error {}

type Frame = { isObject: boolean; keep: Exclude<Keep, true>; isFirst: boolean };
type Expected = 'value' | 'first' | 'name' | 'colon' | 'next' | 'nothing';

/** Longer than any name that is kept. */
const MAX_NAME_BYTES = 200;
const [QUOTE, COLON, COMMA, BACKSLASH] = [0x22, 0x3a, 0x2c, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Parses a JSON object as a stream and keeps only the named parts, so that a long one is never
 * completely in memory. Kept parts stay as written; others are only skipped.
 */
export class JsonTrimmer {
  readonly #maxBytes: number;
  readonly #frames: Frame[] = [];
  #kept = new Uint8Array(4_096);
  #keptBytes = 0;
  #expected: Expected = 'value';
  /**
   * The value that is being copied or skipped, with its nesting depth; 0 for a value without
   * brackets.
   */
  #raw: { isKept: boolean; depth: number; isBare: boolean } | null = null;
  #inString = false;
  #isEscaped = false;
  #name: number[] | null = null;
  #next: Keep | null;

  constructor(keep: Exclude<Keep, true>, maxBytes: number) {
    this.#next = keep;
    this.#maxBytes = maxBytes;
  }

  /** Bytes that the parser holds in memory. */
  get heldBytes(): number {
    return this.#kept.byteLength;
  }

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length;) {
      if (this.#raw !== null) at = this.#throughRaw(chunk, at);
      else if (this.#name !== null) at = this.#throughName(chunk, at);
      else {
        this.#step(chunk[at] ?? 0);
        // A value that is copied or skipped whole begins with this byte.
        if (this.#raw === null) at += 1;
      }
    }
  }

  /** The kept parts as the bytes of a JSON text. Throws when the input was incomplete. */
  end(): Uint8Array {
    if (this.#expected !== 'nothing') throw unreadable('it breaks off');
    return this.#kept.subarray(0, this.#keptBytes);
  }

  #step(byte: number): void {
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return;
    const frame = this.#frames.at(-1);
    const closes = frame?.isObject === true ? CLOSE_OBJECT : CLOSE_LIST;
    const mayEnd = this.#expected === 'first' || this.#expected === 'next';
    if (frame !== undefined && mayEnd && byte === closes) return this.#close(byte);
    if (this.#expected === 'next' && byte === COMMA) {
      this.#expected = frame?.isObject === true ? 'name' : 'value';
    } else if (this.#expected === 'colon' && byte === COLON) {
      this.#expected = 'value';
    } else if (frame?.isObject === true && this.#expectsName() && byte === QUOTE) {
      this.#name = [];
    } else if (frame?.isObject === true ? this.#expected === 'value' : this.#expectsEntry()) {
      this.#begin(byte, frame);
    } else throw unreadable('a sign stands where none may');
  }

  #expectsName(): boolean {
    return this.#expected === 'name' || this.#expected === 'first';
  }

  #expectsEntry(): boolean {
    return this.#expected === 'value' || this.#expected === 'first';
  }

  #begin(byte: number, frame: Frame | undefined): void {
    const keep = frame?.isObject === false ? frame.keep : this.#next;
    if (frame === undefined && byte !== OPEN_OBJECT) throw unreadable('it is no object');
    const isList = byte === OPEN_LIST;
    if (frame?.isObject === false) this.#separate(frame);
    if (keep !== null && keep !== true && (isList || byte === OPEN_OBJECT)) {
      if (this.#frames.length >= MAX_JSON_DEPTH) throw unreadable('it is nested too deep');
      this.#frames.push({ isObject: !isList, keep, isFirst: true });
      this.#expected = 'first';
      return this.#write(byte);
    }
    if (byte === COMMA || byte === COLON || byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      throw unreadable('a value is missing');
    }
    const isBare = byte !== QUOTE && byte !== OPEN_OBJECT && !isList;
    this.#raw = { isKept: keep !== null, depth: 0, isBare };
  }

  /** Copies or skips a value up to its end; returns the next position. */
  #throughRaw(chunk: Uint8Array, from: number): number {
    const raw = this.#raw;
    if (raw === null) return from;
    let at = from;
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (this.#inString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) {
          this.#inString = false;
          if (raw.depth === 0) return this.#endRaw(chunk, from, at + 1);
        }
      } else if (raw.isBare) {
        if (isAfterBare(byte)) return this.#endRaw(chunk, from, at);
      } else if (byte === QUOTE) this.#inString = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        raw.depth += 1;
        if (raw.depth + this.#frames.length > MAX_JSON_DEPTH)
          throw unreadable('it is nested too deep');
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        raw.depth -= 1;
        if (raw.depth === 0) return this.#endRaw(chunk, from, at + 1);
      }
    }
    if (raw.isKept) this.#writeAll(chunk.subarray(from));
    return at;
  }

  #endRaw(chunk: Uint8Array, from: number, to: number): number {
    if (this.#raw?.isKept === true) this.#writeAll(chunk.subarray(from, to));
    this.#raw = null;
    this.#expected = 'next';
    return to;
  }

  #throughName(chunk: Uint8Array, from: number): number {
    const name = this.#name ?? [];
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (byte === QUOTE && !this.#isEscaped) {
        this.#endName(name);
        return at + 1;
      }
      this.#isEscaped = byte === BACKSLASH && !this.#isEscaped;
      if (name.length <= MAX_NAME_BYTES) name.push(byte);
    }
    return chunk.length;
  }

  #endName(bytes: readonly number[]): void {
    const frame = this.#frames.at(-1);
    this.#name = null;
    this.#isEscaped = false;
    this.#expected = 'colon';
    // A name with escapes or non-ASCII characters matches no kept name.
    const name = bytes.length > MAX_NAME_BYTES ? '' : String.fromCharCode(...bytes);
    this.#next =
      frame !== undefined && Object.hasOwn(frame.keep, name) ? (frame.keep[name] ?? null) : null;
    if (frame === undefined || this.#next === null) return;
    this.#separate(frame);
    for (const byte of [QUOTE, ...bytes, QUOTE, COLON]) this.#write(byte);
  }

  #separate(frame: Frame): void {
    if (!frame.isFirst) this.#write(COMMA);
    frame.isFirst = false;
  }

  #close(byte: number): void {
    this.#frames.pop();
    this.#write(byte);
    this.#expected = this.#frames.length === 0 ? 'nothing' : 'next';
  }

  #write(byte: number): void {
    this.#writeAll(Uint8Array.of(byte));
  }

  #writeAll(bytes: Uint8Array): void {
    const needed = this.#keptBytes + bytes.length;
    if (needed > this.#maxBytes) throw new TooMuchKept('what is to be kept is too long');
    if (needed > this.#kept.length) {
      const larger = new Uint8Array(Math.max(needed, this.#kept.length * 2));
      larger.set(this.#kept.subarray(0, this.#keptBytes));
      this.#kept = larger;
    }
    this.#kept.set(bytes, this.#keptBytes);
    this.#keptBytes = needed;
  }
}

/** Whether a byte ends a number, `true`, `false` or `null`. */
function isAfterBare(byte: number): boolean {
  return byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST || byte <= 0x20;
}

function unreadable(why: string): UnreadableJson {
  return new UnreadableJson(why);
}
