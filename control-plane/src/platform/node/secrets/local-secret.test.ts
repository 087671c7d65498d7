import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { symlinkSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureLocalSecret, localSecretPath, readLocalSecret } from './local-secret.ts';

let dataDir: string;
const replaced: string[] = [];
const ensure = () => ensureLocalSecret(dataDir, (why) => replaced.push(why));
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'switchyard-local-secret-'));
  replaced.length = 0;
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

describe('the file with the local secret', () => {
  it('is made once, for its owner alone', () => {
    expect(readLocalSecret(dataDir)).toBeNull();
    ensure();
    const secret = readLocalSecret(dataDir);
    expect(secret).toMatch(/^swl_[\w-]{43}$/);
    expect(statSync(localSecretPath(dataDir)).mode & 0o777).toBe(0o600);
    ensure();
    expect(readLocalSecret(dataDir)).toBe(secret);
    expect(replaced).toEqual([]);
  });

  it('is replaced when others could read it, or when it is no secret', () => {
    ensure();
    const before = readLocalSecret(dataDir);
    chmodSync(localSecretPath(dataDir), 0o644);
    ensure();
    expect(readLocalSecret(dataDir)).not.toBe(before);
    expect(statSync(localSecretPath(dataDir)).mode & 0o777).toBe(0o600);
    writeFileSync(localSecretPath(dataDir), 'swl_short\n');
    expect(readLocalSecret(dataDir)).toBeNull();
    ensure();
    expect(replaced).toEqual(['others could read it', 'it was damaged']);
  });

  it('is never somewhere that a link leads to', () => {
    const elsewhere = join(dataDir, 'elsewhere');
    writeFileSync(elsewhere, `swl_${'x'.repeat(43)}\n`, { mode: 0o600 });
    symlinkSync(elsewhere, localSecretPath(dataDir));
    expect(readLocalSecret(dataDir)).toBeNull();
    ensure();
    expect(readLocalSecret(dataDir)).not.toBeNull();
    expect(readFileSync(elsewhere, 'utf8')).toBe(`swl_${'x'.repeat(43)}\n`);
  });

  it('does not wait for somebody who writes into a pipe', () => {
    expect(spawnSync('mkfifo', [localSecretPath(dataDir)]).status).toBe(0);
    expect(readLocalSecret(dataDir)).toBeNull();
    ensure();
    expect(readLocalSecret(dataDir)).not.toBeNull();
  });

  it('is no folder: the start says what is in the way', () => {
    mkdirSync(localSecretPath(dataDir));
    expect(readLocalSecret(dataDir)).toBeNull();
    expect(ensure).toThrow('local-secret');
  });
});
