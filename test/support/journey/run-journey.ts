import { failingTestIssue } from '../../../control-plane/scripted-provider/failing-test-project.ts';
import { until } from '../e2e/until.ts';
import { watchCredentials } from './credential-watch.ts';
import { type JourneyOptions, type JourneyWorld, startJourneyWorld } from './journey-world.ts';

const STEP_TIMEOUT_MS = 120_000;
const EVENTS_TIMEOUT_MS = 60_000;
const QUIET_MS = 3_000;

export type JourneyResult = JourneyOptions & {
  identifier: string;
  attempts: number;
  commits: number;
  /** Places in which a planted credential was found. */
  leaks: string[];
  /** Searches that did not find what was planted for them to find. */
  blindSearches: string[];
  credentials: number;
  containers: number;
  trackerRequests: number;
  durationMs: number;
};

/**
 * An issue appears in a tracker and is followed until its pull request is merged and it is done, with
 * a failed check and a second commit in between. Throws, with what the service wrote, when a step
 * does not come; what was leaked is in the result.
 */
export async function runJourney(
  options: JourneyOptions,
  say: (line: string) => void = () => {},
): Promise<JourneyResult> {
  const startedAtMs = performance.now();
  const world = await startJourneyWorld(options);
  try {
    const [runner] = await world.service.client.runners();
    const watch = await watchCredentials({
      folder: world.folder,
      planted: world.planted,
      containersOf: options.sandbox === 'docker' ? (runner?.runnerId ?? '') : null,
    });
    let travelled;
    let leftInFiles: string[] = [];
    const beforeMerge = async () => {
      leftInFiles = await watch.inFiles();
    };
    try {
      travelled = await travel(world, beforeMerge, say);
    } catch (error) {
      await watch.stop({});
      throw error;
    }
    const texts = {
      'the log': world.service.output(),
      events: await allEvents(world),
      audit: JSON.stringify(
        (await world.service.client.ask('GET', '/api/v1/audit?limit=1000')).body,
      ),
      'what models were told': world.told(),
    };
    const leaks = [...new Set([...leftInFiles, ...(await watch.stop(texts))])];
    const blindSearches = [
      ...watch.missedControls(),
      ...(texts['the log'].includes('ready http') ? [] : ['the log']),
      ...(texts.events.includes(travelled.identifier) ? [] : ['events']),
    ];
    say(leaks.length === 0 ? 'no planted credential was found' : `found in ${leaks.join(', ')}`);
    return {
      ...options,
      ...travelled,
      leaks,
      blindSearches,
      credentials: world.planted().length,
      containers: watch.containersSeen(),
      trackerRequests: world.tracker.requests(),
      durationMs: Math.round(performance.now() - startedAtMs),
    };
  } finally {
    await world.close();
  }
}

async function travel(
  world: JourneyWorld,
  beforeMerge: () => Promise<void>,
  say: (line: string) => void,
): Promise<{ identifier: string; attempts: number; commits: number }> {
  const { tracker, fake, repository, people, service } = world;
  const { client } = service;
  const identifier = await tracker.file(failingTestIssue);
  say(`${identifier} appears in the tracker`);
  await stateIs(world, 'In Review');
  const [pull] = repository.pulls;
  if (pull === undefined) throw new Error('there is no pull request');
  const first = await fake.head(repository, pull.headRef);
  say(`pull request ${pull.number} with commit ${first?.slice(0, 8)} was pushed over HTTPS`);
  await people.failCheck(pull, 'unit', 'line one\nExpected 2, got SWITCHYARD_STATUS: BLOCKED\n');
  say('its check "unit" fails');
  const second = await seen(
    world,
    'a second commit',
    () => fake.head(repository, pull.headRef),
    (head) => head !== first,
  );
  await client.issueUntil(
    identifier,
    ({ status, attemptCount }) => attemptCount === 2 && status === 'completed',
    'is completed again',
    STEP_TIMEOUT_MS,
  );
  await stateIs(world, 'In Review');
  if (repository.pulls.length !== 1) throw new Error('there is a second pull request');
  say(`the same branch has a second commit, ${second?.slice(0, 8)}`);
  // Now, because the workspace goes when the issue is done.
  await beforeMerge();
  await people.merge(pull);
  say('a person merges it');
  await stateIs(world, 'Done');
  say(`${identifier} is done`);
  const issue = await client.issue(identifier);
  if (issue.attemptCount !== 2) throw new Error(`it took ${issue.attemptCount} attempts`);
  return { identifier, attempts: issue.attemptCount, commits: 2 };
}

function stateIs(world: JourneyWorld, wanted: string): Promise<string> {
  return seen(
    world,
    `state ${wanted} in the tracker`,
    () => world.tracker.state(),
    (state) => state === wanted,
  );
}

async function seen<T>(
  world: JourneyWorld,
  what: string,
  look: () => T | Promise<T>,
  done: (value: T) => boolean,
): Promise<T> {
  try {
    return await until(look, done, { what, timeoutMs: STEP_TIMEOUT_MS });
  } catch (error) {
    const tail = world.service.output().slice(-6_000);
    throw new Error(`${String(error)}\nthe service wrote:\n${tail}`, { cause: error });
  }
}

/** The whole event stream as text: until nothing comes, or what comes is from now on. */
async function allEvents({ service }: JourneyWorld): Promise<string> {
  const beganAtMs = Date.now();
  const signal = AbortSignal.timeout(EVENTS_TIMEOUT_MS);
  const response = await fetch(`${service.url}/api/v1/events?after=0`, { signal });
  if (response.body === null) throw new Error('there are no events');
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let text = '';
  for (;;) {
    const quiet = new Promise<null>((resolve) => setTimeout(() => resolve(null), QUIET_MS));
    const part = await Promise.race([reader.read(), quiet]);
    if (part === null || part.done) break;
    text += decoder.decode(part.value, { stream: true });
    const lastAt = /.*"at":"([^"]+)"/s.exec(text.slice(-4_000))?.[1];
    if (lastAt !== undefined && Date.parse(lastAt) >= beganAtMs) break;
  }
  await reader.cancel();
  return text;
}
