import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createLinearHarness,
  type LinearHarness,
} from '../../../../test/support/linear/linear-harness.ts';
import * as agentDocuments from './api/agent-documents.ts';
import * as documents from './api/documents.ts';
import { ensureLinearWebhook } from './webhook/linear-webhook.ts';

const MUTATIONS = [documents, agentDocuments]
  .flatMap((module) => Object.values(module))
  .filter((one) => typeof one === 'object' && one.text.startsWith('mutation'))
  .map((one) => one as { name: string; text: string });

let harness: LinearHarness;
beforeEach(async () => {
  harness = await createLinearHarness();
});
afterEach(() => harness.close());

/** An answer as it comes, but that says that nothing was changed. */
function refuse(operation: string): void {
  const change = (data: Record<string, { success: boolean }>) => {
    for (const payload of Object.values(data)) payload.success = false;
  };
  harness.fake.fail({ kind: 'data', change }, operation);
}

function add(title: string): { id: string } {
  const { world } = harness.fake;
  return world.add({ title, stateId: world.stateNamed('Todo').id }, world.ada);
}

/** What makes each mutation be sent. */
const ACTS: Record<string, (id: string) => Promise<unknown>> = {
  MoveIssue: (id) => harness.tracker.transition(id, 'In Review'),
  CreateComment: (id) => harness.tracker.upsertComment(id, 'status', 'running'),
  EditComment: async (id) => {
    await harness.tracker.upsertComment(id, 'status', 'running');
    return harness.tracker.upsertComment(id, 'status', 'done');
  },
  Attach: (id) => harness.tracker.attach(id, { url: 'https://x.example/1', title: 'x' }),
  CreateIssue: () => harness.tracker.createIssue({ title: 'new' }),
  CreateLabel: () => harness.tracker.createIssue({ title: 'new', labels: ['web'] }),
  CreateWebhook: () => hook('secret'),
  UpdateWebhook: async () => {
    await hook('secret');
    return hook('other');
  },
  CreateAgentActivity: (id) => {
    const { sessions, ada } = harness.fake.world;
    const content = { type: 'thought', body: 'x' } as const;
    const at = { sessionId: sessions.delegate(id, ada).id, id: crypto.randomUUID() };
    return agent().say({ ...at, content, ephemeral: false, options: null });
  },
  UpdateAgentSession: (id) => {
    const { sessions, ada } = harness.fake.world;
    return agent().link(sessions.delegate(id, ada).id, { url: 'https://x.example', label: 'x' });
  },
  SetDelegate: (id) => agent().takeOver(id, harness.fake.world.me.id),
};

function hook(secret: string) {
  return ensureLinearWebhook(harness.ask, { url: 'https://x.example/hook', secret });
}

function agent() {
  const sessions = harness.tracker.agentSessions;
  if (sessions === undefined) throw new Error('Linear has agent sessions');
  return sessions;
}

describe('a change that Linear answers as not made', () => {
  it('is known for every mutation', () => {
    expect(MUTATIONS.map(({ name }) => name).toSorted()).toEqual(Object.keys(ACTS).toSorted());
    for (const { text } of MUTATIONS) expect(text).toMatch(/\{\s*success\b/);
  });

  it.each(Object.keys(ACTS))('is an error of %s', async (name) => {
    const { id } = add('Fix it');
    refuse(name);
    await expect(ACTS[name]?.(id)).rejects.toMatchObject({
      category: 'response',
      isRefusal: false,
      message: `Linear did not make the change (${name})`,
    });
  });
});
