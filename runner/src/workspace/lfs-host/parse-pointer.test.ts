import { describe, expect, it } from 'vitest';
import { parsePointer } from './parse-pointer.ts';

const oid = '4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393';
const version = 'version https://git-lfs.github.com/spec/v1\n';
const text = `${version}oid sha256:${oid}\nsize 12345\n`;

describe('pointers of Git LFS', () => {
  it('are read as the specification has them, with extensions', () => {
    expect(parsePointer(text)).toEqual({ oid, sizeBytes: 12_345 });
    const extended = `${version}ext-0-foo sha256:${oid}\noid sha256:${oid}\nsize 0\n`;
    expect(parsePointer(extended)).toEqual({ oid, sizeBytes: 0 });
  });

  it('are nothing that only looks like one', () => {
    const bad = [
      '', 'raw content\n', text.slice(0, -1), `${text}\n`, text.replaceAll('\n', '\r\n'),
      `${version}size 12345\noid sha256:${oid}\n`, `oid sha256:${oid}\nsize 1\n${version}`,
      text.replace(oid, oid.toUpperCase()), text.replace('sha256', 'md5'), text.replace('12345', '-1'),
      text.replace('12345', '1e3'), text.replace('spec/v1', 'spec/v9'), `${text}x ${'y'.repeat(1024)}\n`,
      text.replace('size', 'size '),
    ]; // prettier-ignore
    expect(bad.filter((one) => parsePointer(one) !== null)).toEqual([]);
  });
});
