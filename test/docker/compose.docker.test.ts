import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import type { Script } from '../../control-plane/scripted-provider/scripted-provider.ts';
import { exec } from '../../control-plane/scripted-provider/step.ts';
import { composePart } from '../support/compose/compose-part.ts';
import { byPrompt } from '../support/scripted-model/scripts.ts';
import { type Compose, startCompose } from '../support/compose/start-compose.ts';
import { ownImages } from '../support/compose/own-images.ts';

const IMAGES_TIMEOUT_MS = 900_000;
const TEST_TIMEOUT_MS = 240_000;
/** The agent's command goes on while services are killed and started again. */
const LONG_COMMAND_SECONDS = 75;

/** The repair; for the issue with this title only after a long command. */
const script: Script = byPrompt(
  [
    {
      match: 'Slow repair',
      script: (request) =>
        request.stepIndex === 0
          ? exec(`sleep ${LONG_COMMAND_SECONDS}`, 120_000)
          : fixFailingTest()({ ...request, stepIndex: request.stepIndex - 1 }),
    },
  ],
  fixFailingTest(),
);

describe.skipIf(!composePart().available)('compose.yaml with local images', () => {
  let compose: Compose;

  beforeAll(async () => {
    const { images, tag } = await ownImages();
    compose = await startCompose({ images, tag, script });
    await compose.up();
    const { url } = compose.repository;
    await compose.client.must('POST', '/setup/repo-route', { prefix: 'SY-', url });
  }, IMAGES_TIMEOUT_MS);
  afterAll(() => compose?.close());

  it(
    'turns an issue into a pull request in a locked container of the host',
    async () => {
      const { client } = compose;
      const { identifier } = await client.createIssue({ title: 'Repair' });
      const issue = await client.settled(identifier, TEST_TIMEOUT_MS);
      expect(issue, issue.reason ?? '').toMatchObject({ status: 'completed' });
      expect(await client.pullRequestOf(identifier)).toMatchObject({ status: 'open' });
      const { events } = await client.attempt(issue.attempts[0]?.attemptId ?? '');
      const locks = events.map(({ data }) => data).find(({ kind }) => kind === 'isolation');
      expect(locks?.['payload']).toMatchObject({ level: 'container', network: 'none' });
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'loses nothing when each service is killed in the middle and started again',
    async () => {
      const { client } = compose;
      const { identifier } = await client.createIssue({ title: 'Slow repair' });
      await client.commandRunning(identifier, TEST_TIMEOUT_MS);
      for (const service of ['runner', 'database', 'control-plane'] as const) {
        expect(await client.issue(identifier), service).toMatchObject({ status: 'running' });
        await compose.kill(service);
        await compose.up();
      }
      const issue = await client.settled(identifier, TEST_TIMEOUT_MS);
      expect(issue, issue.reason ?? '').toMatchObject({ status: 'completed' });
      expect(issue.attempts).toHaveLength(1);
      expect(await client.pullRequestOf(identifier)).toMatchObject({ status: 'open' });
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'leaves nothing on the daemon after down -v',
    async () => {
      expect(await compose.down()).toEqual([]);
    },
    TEST_TIMEOUT_MS,
  );
});
