import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { deflateSync } from 'node:zlib';

/** Numbers of git's pack format. */
const TYPES = { commit: 1, tree: 2, blob: 3, tag: 4 } as const;
const REF_DELTA = 7;
const COPY_ALL_BYTES = 0xff;
const MAX_COPY_BYTES = 0xff_ffff;

export type ObjectType = keyof typeof TYPES;
export type TreeEntry = { mode: string; name: string; id: string };

/** A bundle byte by byte, also such as git itself would never write. */
export class HandmadeBundle {
  readonly #entries: Buffer[] = [];
  readonly #seen = new Set<string>();

  add(type: ObjectType, content: Buffer | string): string {
    const body = Buffer.from(content);
    const id = createHash('sha1').update(`${type} ${body.length}\0`).update(body).digest('hex');
    if (this.#seen.has(id)) return id;
    this.#seen.add(id);
    this.#entries.push(Buffer.concat([entryHead(TYPES[type], body.length), deflateSync(body)]));
    return id;
  }

  blob(content: Buffer | string): string {
    return this.add('blob', content);
  }

  /** Entries in the order in which git wants them. */
  tree(...entries: TreeEntry[]): string {
    const parts = entries.flatMap(({ mode, name, id }) => [
      Buffer.from(`${mode} ${name}\0`),
      Buffer.from(id, 'hex'),
    ]);
    return this.add('tree', Buffer.concat(parts));
  }

  commit(tree: string, parents: readonly string[], message = 'Work'): string {
    const who = 'Dev <dev@example.test> 1700000000 +0000';
    const lines = [
      `tree ${tree}`,
      ...parents.map((parent) => `parent ${parent}`),
      `author ${who}`,
      `committer ${who}`,
      '',
      message,
      '',
    ];
    return this.add('commit', lines.join('\n'));
  }

  /** A few bytes that say: `base` so many times, cut to what one copy can take. */
  repeated(base: string, baseBytes: number, times: number): void {
    const copied = Math.min(baseBytes, MAX_COPY_BYTES);
    const copy = Buffer.from([
      COPY_ALL_BYTES,
      0,
      0,
      0,
      0,
      copied & 0xff,
      (copied >> 8) & 0xff,
      (copied >> 16) & 0xff,
    ]);
    const delta = Buffer.concat([
      varint(baseBytes),
      varint(copied * times),
      ...Array.from({ length: times }, () => copy),
    ]);
    this.#entries.push(
      Buffer.concat([
        entryHead(REF_DELTA, delta.length),
        Buffer.from(base, 'hex'),
        deflateSync(delta),
      ]),
    );
  }

  /** `saidObjects`: what the header says, if not the truth. */
  async write(
    path: string,
    tip: { commit: string; ref: string; saidObjects?: number },
  ): Promise<void> {
    const head = Buffer.alloc(12);
    head.write('PACK', 'latin1');
    head.writeUInt32BE(2, 4);
    head.writeUInt32BE(tip.saidObjects ?? this.#entries.length, 8);
    const pack = Buffer.concat([head, ...this.#entries]);
    const sum = createHash('sha1').update(pack).digest();
    const header = Buffer.from(`# v2 git bundle\n${tip.commit} ${tip.ref}\n\n`);
    await writeFile(path, Buffer.concat([header, pack, sum]));
  }
}

export const file = (name: string, id: string): TreeEntry => ({ mode: '100644', name, id });
export const folder = (name: string, id: string): TreeEntry => ({ mode: '40000', name, id });

/** A tree of `levels` levels with `width` equal folders each: `width ** levels` paths in a few bytes. */
export function treeBomb(bundle: HandmadeBundle, levels: number, width = 10): string {
  const blob = bundle.blob('x');
  const names = Array.from({ length: width }, (_, index) => `d${index}`);
  let tree = bundle.tree(...names.map((name) => file(name, blob)));
  for (let level = 1; level < levels; level += 1)
    tree = bundle.tree(...names.map((name) => folder(name, tree)));
  return tree;
}

/** Type and size as a pack says them. */
function entryHead(type: number, size: number): Buffer {
  const bytes: number[] = [];
  let rest = Math.floor(size / 16);
  let byte = (type << 4) | (size % 16);
  while (rest > 0) {
    bytes.push(byte | 0x80);
    byte = rest % 128;
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...bytes, byte]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  do {
    const more = rest >= 128 ? 0x80 : 0;
    bytes.push((rest % 128) | more);
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return Buffer.from(bytes);
}
