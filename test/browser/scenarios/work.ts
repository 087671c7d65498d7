import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  fixFailingTest,
  type ReadyScript,
} from '../../../control-plane/scripted-provider/ready-scripts.ts';
import { asksQuestion, byPrompt } from '../../support/scripted-model/scripts.ts';
import { exec, say } from '../../../control-plane/scripted-provider/step.ts';
import type { MakeHands } from '../../support/browser/hands.ts';
import { Stage } from '../../support/browser/stage.ts';
import { boardScenarios } from './board.ts';
import { feedScenario } from './feed.ts';
import { inspectorScenarios } from './inspector.ts';
import { overviewScenarios } from './overview.ts';
import { pullRequestScenarios } from './pull-requests.ts';
import { reviewScenarios } from './review.ts';

const START_TIMEOUT_MS = 180_000;

/** Goes on for longer than anybody waits, a command after the other. */
const listens: ReadyScript = ({ stepIndex }) => {
  if (stepIndex > 20) return say('I waited.');
  return exec(`sleep 300; echo ${stepIndex}`, 30_000);
};

/** Writes for longer than anybody reads, word by word. */
const talks: ReadyScript = () => ({
  ...say('Once upon a time there was a yard. '.repeat(400)),
  pauseMs: 300,
});

/** Issues that are there from the beginning. */
export type Issues = {
  /** Done, with an open pull request. */
  fixed: string;
  /** An agent is at work on it and stays so. */
  listening: string;
  /** In the backlog. */
  idle: string;
};

/**
 * Every view of the work with one pair of hands. One service and one page: the order matters.
 * `ownWays` are what only these hands do, before anything has ended.
 */
export function walkWork(
  makeHands: MakeHands,
  ownWays: (stage: Stage, issues: () => Issues) => void,
): void {
  const stage = new Stage(makeHands);
  let made: Issues;
  const issues = () => made;
  beforeAll(async () => {
    const scripts = [
      { match: 'case:question', script: asksQuestion },
      { match: 'case:listen', script: listens },
      { match: 'case:talks', script: talks },
    ];
    await stage.begin({
      script: byPrompt(scripts, fixFailingTest()),
      slots: 2,
      config: { 'agent.retryBaseMs': 200 },
    });
    const { client } = stage;
    const create = async (title: string, state?: string) =>
      (await client.createIssue({ title, ...(state === undefined ? {} : { state }) })).identifier;
    const fixed = await create('Durations come out wrong');
    expect(await client.settled(fixed)).toMatchObject({ status: 'completed' });
    const listening = await create('case:listen');
    await client.commandRunning(listening);
    made = { fixed, listening, idle: await create('Nobody starts this', 'Backlog') };
  }, START_TIMEOUT_MS);
  afterAll(() => stage.end());

  describe('the overview', () => overviewScenarios(stage));
  describe('the board', () => boardScenarios(stage, issues));
  describe('with its own ways', () => ownWays(stage, issues));
  describe('the inspector', () => inspectorScenarios(stage, issues));
  describe('a review', () => reviewScenarios(stage, issues));
  describe('pull requests', () => pullRequestScenarios(stage, issues));
  describe('the feed', () => feedScenario(stage));

  it('left nothing in the console', () => {
    expect(stage.open.problems).toEqual([]);
  });
}
