import { describe, expect, it } from 'vitest';
import { takeValuesFromFiles } from './take-values-from-files.ts';

const files: Record<string, string> = {
  '/run/secrets/write': 'a-token\n',
  '/run/secrets/crlf': 'two\nlines\r\n',
  '/run/secrets/empty': '\n',
};

function read(path: string): string {
  const content = files[path];
  if (content === undefined) throw new Error(`ENOENT: no such file or directory, open '${path}'`);
  return content;
}

function taken(env: Record<string, string>): Record<string, string | undefined> {
  const all: Record<string, string | undefined> = { ...env };
  takeValuesFromFiles(all, read);
  return all;
}

describe('values from files', () => {
  it('takes the value without the last line break, under the name without _FILE', () => {
    const env = {
      SERVICE_WRITE_TOKEN_FILE: '/run/secrets/write',
      SERVICE_CONFIG__engine__provider__apiKey_FILE: '/run/secrets/crlf',
      PATH: '/usr/bin',
    };
    expect(taken(env)).toEqual({
      SERVICE_WRITE_TOKEN: 'a-token',
      SERVICE_CONFIG__engine__provider__apiKey: 'two\nlines',
      PATH: '/usr/bin',
    });
  });

  it('leaves variables of other programs and empty ones alone', () => {
    const env = { SSL_CERT_FILE: '/etc/ssl/cert.pem', SERVICE_READ_TOKEN_FILE: '' };
    expect(taken(env)).toEqual(env);
  });

  it('refuses a value that is given twice', () => {
    const env = { SERVICE_WRITE_TOKEN: 'x', SERVICE_WRITE_TOKEN_FILE: '/run/secrets/write' };
    expect(() => taken(env)).toThrow(
      'SERVICE_WRITE_TOKEN and SERVICE_WRITE_TOKEN_FILE are both set: keep one of them',
    );
  });

  it('says which file is missing or empty, and never what another one holds', () => {
    expect(() => taken({ SERVICE_READ_TOKEN_FILE: '/nowhere' })).toThrow(
      "SERVICE_READ_TOKEN_FILE: ENOENT: no such file or directory, open '/nowhere'",
    );
    expect(() => taken({ SERVICE_READ_TOKEN_FILE: '/run/secrets/empty' })).toThrow(
      'SERVICE_READ_TOKEN_FILE: /run/secrets/empty is empty: write the value to it',
    );
  });
});
