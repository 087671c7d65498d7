import { describe, expect, it } from 'vitest';
import { artifactType } from './artifact-type.ts';

const bytes = (latin1: string): Buffer => Buffer.from(latin1, 'latin1');

describe('the type of a file', () => {
  it.each([
    ['\x89PNG\r\n\x1a\n<html>', 'image/png'],
    ['\xff\xd8\xff\xe0JFIF', 'image/jpeg'],
    ['GIF87a', 'image/gif'],
    ['GIF89a;', 'image/gif'],
    ['RIFF\x0a\n\r\u0000WEBPVP8 ', 'image/webp'],
    ['RIFF\x01\x02\x03\x04WAVE', 'application/octet-stream'],
    ['', 'text/plain'],
    ['<svg onload="alert(1)"/>\r\n\tx', 'text/plain'],
    ['gr\xc3\xbc\xc3\x9fe', 'text/plain'],
    ['gr\xfc\xdfe', 'application/octet-stream'],
    ['cut in a character \xc3', 'application/octet-stream'],
    ['\x1b[31mred', 'application/octet-stream'],
    ['a C1 control \xc2\x9b', 'application/octet-stream'],
    ['a\u0000b', 'application/octet-stream'],
    ['\x89PNG', 'application/octet-stream'],
    [' GIF89a', 'text/plain'],
  ])('%j is %s, whatever its name says', (latin1, type) => {
    expect(artifactType(bytes(latin1))).toBe(type);
  });
});
