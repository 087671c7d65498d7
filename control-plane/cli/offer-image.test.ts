import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandError } from './client/command-error.ts';
import { offerImage } from './offer-image.ts';

describe('the offer to build the sandbox image', () => {
  let dataDir: string;
  let asked: string[];
  let questions: string[];
  let said: string[];
  let isolation: string;
  let image: { state: string; source: string; image: string };
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'swy-offer-'));
    await mkdir(join(dataDir, 'runner'));
    await writeFile(join(dataDir, 'runner', 'identity.json'), '{"runnerId":"run_2"}');
    [asked, questions, said] = [[], [], []];
    isolation = 'process';
    image = { state: 'missing', source: 'build', image: 'switchyard-sandbox:1' };
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  const offer = (answer: string | null, { isAway = false } = {}): Promise<void> =>
    offerImage({
      dataDir,
      signal: new AbortController().signal,
      say: (text) => void said.push(text),
      askPerson: async (question) => {
        questions.push(question);
        return answer;
      },
      client: {
        async ask<T>(method: string, path: string): Promise<T> {
          if (isAway) throw new CommandError('the service is away', 1);
          if (path !== '/runners') asked.push(`${method} ${path}`);
          const runners = ['run_1', 'run_2'].map((runnerId) => ({
            runnerId,
            status: 'connected',
            // Another machine's runner is nobody's question here.
            isolation: runnerId === 'run_1' ? 'docker' : isolation,
          }));
          return (path === '/runners' ? { runners } : image) as T;
        },
      },
    });
  const path = '/runners/run_2/sandbox-image';

  it.each(['', 'y', 'YES'])('builds for "%s"', async (answer) => {
    await offer(answer);
    expect(questions).toEqual([expect.stringContaining('takes about a minute. [Y/n]')]);
    expect(asked).toEqual([`GET ${path}`, `POST ${path}`]);
  });

  it('takes no and no answer for what they are', async () => {
    await offer('n');
    expect(said.join()).toContain('--sandbox process');
    await offer(null);
    expect(asked).toEqual([`GET ${path}`, `GET ${path}`]);
  });

  it('names a configured image, which is pulled', async () => {
    image = { state: 'missing', source: 'pull', image: 'registry.test/own:1' };
    await offer('y');
    expect(questions[0]).toContain(
      'the sandbox image registry.test/own:1 is missing. Pull it now?',
    );
  });

  it('asks nobody where the image would not help, or is there', async () => {
    image = { ...image, state: 'unavailable' };
    await offer('y');
    isolation = 'docker';
    await offer('y');
    expect(questions).toEqual([]);
  });

  it('leaves trouble with the service to the service', async () => {
    await expect(offer('y', { isAway: true })).resolves.toBeUndefined();
  });
});
