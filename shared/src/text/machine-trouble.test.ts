import { describe, expect, it } from 'vitest';
import { machineTrouble } from './machine-trouble.ts';

const failed = (message: string, fields: object) => Object.assign(new Error(message), fields);
const explain = (message: string, fields: object) =>
  machineTrouble(failed(message, fields), 'linux-x64');

describe('machineTrouble', () => {
  it.each([
    [
      "Cannot find module '@libsql/linux-x64-gnu'\nRequire stack:\n- /x",
      'MODULE_NOT_FOUND',
      '@libsql/linux-x64-gnu',
    ],
    ["Cannot find package 'libsql' imported from /x.js", 'ERR_MODULE_NOT_FOUND', 'libsql'],
    [
      'GLIBC_2.38 not found (required by /a/node_modules/@libsql/linux-x64-gnu/index.node)',
      'ERR_DLOPEN_FAILED',
      '@libsql/linux-x64-gnu',
    ],
  ])('names the package that is missing (%#)', (message, code, name) => {
    const trouble = explain(message, { code });
    expect(trouble?.isMissingPart).toBe(true);
    expect(trouble?.message).toContain(`the package ${name} is not installed`);
    expect(trouble?.message).toContain('linux-x64');
    expect(trouble?.message).not.toContain('\n');
  });

  it.each([
    ['EACCES', /right to write.*--data-dir/],
    ['EROFS', /only be read.*--data-dir/],
    ['ENOSPC', /free some space.*--data-dir/],
    ['ENOTDIR', /file stands where.*--data-dir/],
  ])('says what to do about a folder with %s', (code, advice) => {
    const trouble = explain(`${code}: open '/data/x'`, { code, path: '/data/x' });
    expect(trouble?.message).toMatch(advice);
    expect(trouble?.message).toContain('/data/x');
    expect(trouble?.isMissingPart).toBe(false);
  });

  it('finds the reason inside what wraps it', () => {
    const inner = failed('attempt to write a readonly database', { code: 'SQLITE_READONLY' });
    const outer = new Error('Failed query', { cause: inner });
    expect(machineTrouble(outer, 'linux-x64')?.message).toMatch(/readonly database: .*writable/);
  });

  it('tells a port from a folder', () => {
    const fields = { code: 'EACCES', syscall: 'listen', port: 80 };
    expect(explain('listen EACCES: permission denied', fields)?.message).toContain('--port');
    const taken = { code: 'EADDRINUSE', syscall: 'listen' };
    expect(explain('listen EADDRINUSE', taken)?.message).toContain('0 takes any');
  });

  it('leaves other errors alone', () => {
    expect(explain('no such issue', {})).toBeNull();
    expect(explain('connect ENOENT', { code: 'ENOENT' })).toBeNull();
    expect(explain("Cannot find module './x.js'", { code: 'MODULE_NOT_FOUND' })).toBeNull();
    expect(machineTrouble('text', 'linux-x64')).toBeNull();
  });
});
