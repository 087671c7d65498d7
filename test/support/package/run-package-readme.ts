import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { failingTestProject } from '../../../control-plane/scripted-provider/failing-test-project.ts';
import { fixFailingTest } from '../../../control-plane/scripted-provider/ready-scripts.ts';
import { startScriptedProvider } from '../../../control-plane/scripted-provider/scripted-provider.ts';
import { PageShell } from '../docs/page-shell.ts';
import { shellCommands } from '../docs/shell-commands.ts';
import { makeRepository } from '../e2e/git-repository.ts';
import { ServiceClient } from '../e2e/service-client.ts';
import type { InstalledPackage } from './installed-package.ts';

const SANDBOX = ['--sandbox', 'process'];

/**
 * Runs every command of the installed package's README in order, as a reader would, against a scripted
 * provider, and answers them. Throws at the first that fails.
 */
export async function runPackageReadme(
  {
    folder: packageFolder,
    prefix,
    command,
  }: Pick<InstalledPackage, 'folder' | 'prefix' | 'command'>,
  { archives, env }: { archives: string; env: Readonly<Record<string, string>> },
): Promise<string[]> {
  const folder = join(prefix, 'readme');
  const apiKey = `e2e-${randomBytes(16).toString('hex')}`;
  await mkdir(folder);
  // What the README has fetched there is there already, so that no network is asked.
  await symlink(archives, join(folder, 'engines'));
  await writeFile(join(folder, '.curlrc'), 'fail-with-body\nsilent\nshow-error\n');
  const provider = await startScriptedProvider({ script: fixFailingTest(), apiKey });
  const port = await freePort();
  const repository = await makeRepository(folder, 'app', { files: failingTestProject });
  const url = `http://127.0.0.1:${port}`;
  const dataDir = ['--data-dir', join(folder, 'data')];
  const machineDir = ['--data-dir', join(folder, 'machine')];
  const shell = new PageShell({
    folder,
    switchyard: command,
    values: new Map([
      ['127.0.0.1:4000', `127.0.0.1:${port}`],
      ['CONTROL-PLANE:4000', `127.0.0.1:${port}`],
      ['file:///home/me/git/app.git', repository.url],
      ['sk-…', apiKey],
    ]),
    flags: {
      demo: ['--once', '--no-open', '--port', '0', ...SANDBOX],
      start: ['--no-open', '--port', String(port), ...dataDir, ...SANDBOX, '--slots', '1'],
      doctor: ['--port', String(port), ...dataDir],
      runner: [...SANDBOX, ...machineDir],
      'runner join': machineDir,
    },
    env: {
      ...env,
      CURL_HOME: folder,
      SWITCHYARD_ALLOW_FOLDERS: folder,
      SWITCHYARD_URL: url,
      SERVICE_CONFIG__engine__model: 'scripted-model',
      SERVICE_CONFIG__engine__provider__baseUrl: provider.url,
      SERVICE_CONFIG__engine__provider__name: 'scripted',
    },
  });
  const ran: string[] = [];
  try {
    for (const { place, text } of shellCommands('README.md', packageFolder)) {
      if (!text.includes('enr_…')) await shell.run({ place, text });
      else {
        const client = new ServiceClient(url, () => '');
        const { body } = await client.ask<{ token: string }>('POST', '/api/v1/runners/tokens', {});
        await shell.run({ place, text: text.replace('enr_…', body.token) });
      }
      ran.push(text);
    }
    return ran;
  } finally {
    await shell.close();
    await provider.close();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
