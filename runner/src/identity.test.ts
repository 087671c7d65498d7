import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ACCESS_TOKEN_TTL_MS } from '@switchyard/shared/protocol/limits';
import { decodeJwt } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunOptions } from './run-options.ts';
import { ControlPlaneServer } from './connection/testing/control-plane-server.ts';
import { chooseIdentity } from './choose-identity.ts';
import { joinControlPlane } from './join-control-plane.ts';
import { mintAccessToken, unsealSecrets } from './mint-access-token.ts';
import { identityPath, loadIdentity, normalUrl } from './identity.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
let dataDir: string;
let server: ControlPlaneServer;
let options: RunOptions;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'swy-identity-'));
  server = new ControlPlaneServer();
  await server.listen();
  options = {
    dataDir,
    slots: 1,
    labels: ['gpu'],
    sandbox: 'process',
    image: undefined,
    signingKeyPath: undefined,
    stopAttemptsOnExit: false,
  };
});
afterEach(async () => {
  await server.close();
  await rm(dataDir, { recursive: true, force: true });
});

const token = 'enr_once';
const join1 = () =>
  joinControlPlane({
    url: server.url,
    token,
    name: 'host',
    labels: ['gpu'],
    dataDir,
    version: '1',
  });

describe('joining', () => {
  it('keeps the private keys in a file of its owner and sends only public ones', async () => {
    const identity = await join1();
    expect(identity).toMatchObject({ runnerId: 'run_00000001', controlPlaneUrl: server.url });
    expect((await stat(identityPath(dataDir))).mode & 0o777).toBe(0o600);
    expect(await loadIdentity(dataDir)).toEqual(identity);
    expect(JSON.stringify(server.joins)).not.toContain('"d"');
  });

  it('again remembers who it was', async () => {
    await join1();
    expect((await join1()).formerRunnerIds).toEqual(['run_00000001']);
  });

  it('leaves what a newer version wrote as it is, and names that', async () => {
    const newer = '{"version":2,"runnerId":"run_00000001"}';
    await writeFile(identityPath(dataDir), newer);
    await expect(loadIdentity(dataDir)).rejects.toThrow(/a newer Switchyard wrote .*format 2/);
    await expect(join1()).rejects.toThrow('a newer Switchyard wrote');
    expect(await readFile(identityPath(dataDir), 'utf8')).toBe(newer);
  });

  it('says so when the file is damaged', async () => {
    await writeFile(identityPath(dataDir), '{"version":1}');
    await expect(loadIdentity(dataDir)).rejects.toThrow('damaged');
    expect(await readFile(identityPath(dataDir), 'utf8')).toBe('{"version":1}');
  });

  it.each(['ftp://x', 'nonsense', 'http://user:secret@host/'])('refuses %s', (url) => {
    expect(() => normalUrl(url)).toThrow('not the address');
  });
});

describe('tokens and secrets', () => {
  it('lives at most as long as the control plane allows', async () => {
    const identity = await join1();
    const {
      iat = 0,
      exp = 0,
      iss,
      sub,
      aud,
    } = decodeJwt(await mintAccessToken(identity, Date.now()));
    expect({ iss, sub, aud }).toEqual({
      iss: 'run_00000001',
      sub: 'run_00000001',
      aud: identity.audience,
    });
    expect((exp - iat) * 1_000).toBeLessThanOrEqual(ACCESS_TOKEN_TTL_MS);
  });

  it('opens what was sealed to it and nothing else', async () => {
    const identity = await join1();
    const sealed = await server.seal({ providerApiKey: 'sk' });
    expect(await unsealSecrets(identity, sealed)).toEqual({ providerApiKey: 'sk' });
    const other = await join1();
    await expect(unsealSecrets(other, sealed)).rejects.toThrow();
  });
});

describe('a runner that its control plane starts', () => {
  const start = () => chooseIdentity(options, { url: server.url, token }, silent);

  it('joins once and keeps its identity afterwards', async () => {
    const first = await start();
    expect(first?.labels).toEqual(['gpu']);
    expect((await start())?.runnerId).toBe(first?.runnerId);
    expect(server.joins).toHaveLength(1);
  });

  it('keeps its identity when the control plane comes back on another port', async () => {
    const first = await start();
    const keys = server.joins;
    await server.close();
    server = new ControlPlaneServer();
    server.joins = keys;
    await server.listen();
    const second = await start();
    expect(second).toMatchObject({ runnerId: first?.runnerId, controlPlaneUrl: server.url });
    expect(await loadIdentity(dataDir)).toEqual(second);
  });

  it('joins again where it is not known', async () => {
    const first = await start();
    server.refuseStatus = 401;
    const second = await start();
    expect(second?.runnerId).toBe('run_00000002');
    expect(second?.formerRunnerIds).toEqual([first?.runnerId]);
  });

  it('has none without a token', async () => {
    expect(await chooseIdentity(options, null, silent)).toBeNull();
  });
});
