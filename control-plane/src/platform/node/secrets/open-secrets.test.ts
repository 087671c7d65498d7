import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../../../../test/support/test-database.ts';
import { createTestPorts } from '../../../../../test/support/test-ports.ts';
import { audit } from '../../../db/schema/operation/audit.ts';
import { secrets } from '../../../db/schema/admin/secrets.ts';
import { createResolveSecret } from '../../../config/secrets/create-resolve-secret.ts';
import { makeMasterKeyText } from '../../../config/secrets/master-key.ts';
import type { MasterKeys } from '../../../config/secrets/master-keys.ts';
import { rotateMasterKey } from '../../../config/secrets/rotate-master-key.ts';
import { encryptValue } from '../../../config/secrets/encrypt-value.ts';
import { openSecrets } from './open-secrets.ts';

const CALLER = { actor: 'local', source: 'CLI', requestId: null, path: '' } as const;

describe('openSecrets', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let dataDir: string;
  const ports = createTestPorts();
  beforeEach(async () => {
    database = await createTestDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'switchyard-keys-'));
  });
  afterEach(async () => {
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const open = (env: Record<string, string> = {}) =>
    openSecrets({ ...ports, db: database.db, env, dataDir });
  const keyFile = () => join(dataDir, 'master.key');
  async function store(keys: MasterKeys, key: string, value: string): Promise<void> {
    const { masterKeyId, ...rest } = await encryptValue(await keys.current(), key, value);
    const times = { version: 1, created_at_ms: 1, updated_at_ms: 1 };
    await database.db
      .insert(secrets)
      .values({ key, master_key_id: masterKeyId, ...rest, ...times });
  }
  function read(keys: MasterKeys, key: string): Promise<string | null> {
    return createResolveSecret({ ...ports, db: database.db, masterKeys: keys })(key);
  }

  it('makes a key file that only its owner can read, and uses it again', async () => {
    const keys = await open();
    expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
    expect(await readdir(dataDir)).toEqual(['master.key']);
    await store(keys, 'A', 'hidden');
    const text = await readFile(keyFile(), 'utf8');
    expect(await read(await open(), 'A')).toBe('hidden');
    expect(await readFile(keyFile(), 'utf8')).toBe(text);
  });

  it('agrees on one key when two processes start at once', async () => {
    const [one, two] = await Promise.all([open(), open()]);
    expect((await one.current()).id).toBe((await two.current()).id);
  });

  it('uses no file when the environment gives the key', async () => {
    const keys = await open({ SERVICE_MASTER_KEY: makeMasterKeyText() });
    expect(keys.renew).toBeNull();
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('refuses a malformed key without repeating it', async () => {
    await expect(open({ SERVICE_MASTER_KEY: 'hunter2' })).rejects.toThrow(
      /SERVICE_MASTER_KEY must/,
    );
    await expect(open({ SERVICE_MASTER_KEY: 'hunter2' })).rejects.not.toThrow(/hunter2/);
  });

  it('refuses the wrong key with words on what to do, and changes nothing', async () => {
    const right = makeMasterKeyText();
    await store(await open({ SERVICE_MASTER_KEY: right }), 'A', 'hidden');
    const wrong = { SERVICE_MASTER_KEY: makeMasterKeyText() };
    await expect(open(wrong)).rejects.toThrow(/Nothing was changed.*SERVICE_MASTER_KEY_PREVIOUS/);
    await expect(open()).rejects.toThrow(/put the file back or set SERVICE_MASTER_KEY/);
    expect(await readdir(dataDir)).toEqual([]);
    expect(await read(await open({ SERVICE_MASTER_KEY: right }), 'A')).toBe('hidden');
  });

  it('accepts the previous keys, and needs them no more after a rotation', async () => {
    const fromFile = await open();
    await store(fromFile, 'A', 'from the file');
    const second = makeMasterKeyText();
    const keys = await open({ SERVICE_MASTER_KEY: second });
    expect(await read(keys, 'A')).toBe('from the file');
    await rotateMasterKey({ ...ports, db: database.db, masterKeys: keys }, CALLER);
    await rm(keyFile());
    const third = { SERVICE_MASTER_KEY: makeMasterKeyText(), SERVICE_MASTER_KEY_PREVIOUS: second };
    expect(await read(await open(third), 'A')).toBe('from the file');
  });

  it('rotates the key file: a new first line, seen by every process', async () => {
    const keys = await open();
    const other = await open();
    await store(keys, 'A', 'hidden');
    const before = await readFile(keyFile(), 'utf8');
    const done = await rotateMasterKey({ ...ports, db: database.db, masterKeys: keys }, CALLER);
    expect(done.reencrypted).toBe(1);
    const after = await readFile(keyFile(), 'utf8');
    expect(after.endsWith(before)).toBe(true);
    expect(after.split('\n')).toHaveLength(3);
    expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
    expect(await read(other, 'A')).toBe('hidden');
    expect((await other.current()).id).toBe(done.masterKeyId);
  });

  it('deletes what is under a lost key only when told so by its id', async () => {
    await store(await open(), 'A', 'hidden');
    await rm(keyFile());
    const [row] = await database.db.select().from(secrets);
    const id = row?.master_key_id ?? '';
    await expect(open({ SERVICE_FORGET_SECRETS: 'another' })).rejects.toThrow();
    const keys = await open({ SERVICE_FORGET_SECRETS: id });
    expect(await database.db.select().from(secrets)).toEqual([]);
    expect(await database.db.select().from(audit)).toMatchObject([{ operation: 'secret.forget' }]);
    expect((await keys.current()).id).not.toBe(id);
  });

  it('deletes nothing under a key that is here', async () => {
    const keys = await open();
    await store(keys, 'A', 'hidden');
    const { id } = await keys.current();
    expect(await read(await open({ SERVICE_FORGET_SECRETS: id }), 'A')).toBe('hidden');
  });

  it('tightens a key file that others could read', async () => {
    await writeFile(keyFile(), makeMasterKeyText(), { mode: 0o644 });
    await open();
    expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
  });
});
