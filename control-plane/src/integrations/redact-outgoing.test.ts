import { expect, it } from 'vitest';
import type { Tracker } from '../ports/tracker/tracker.ts';
import { createRedactor } from '../observe/redaction/create-redactor.ts';
import type { CodeHost } from '../ports/code-host/code-host.ts';
import { redactOutgoing } from './redact-outgoing.ts';

const SECRET = 'sk-known-to-the-service';
const TEXT = `it said ${SECRET} and ended`;

it('writes no secret in a comment, link, issue, activity, pull request or call of an agent', async () => {
  const written: unknown[] = [];
  const note = async (...given: unknown[]) => void written.push(given);
  const host = {
    kind: 'test',
    openPullRequest: note,
    agentApi: () => ({
      description: 'x',
      inputSchema: {},
      judge: (...given: unknown[]) => void written.push(given),
    }),
  };
  const port = {
    kind: 'test',
    agentSessions: { say: note },
    upsertComment: note,
    attach: note,
    createIssue: note,
  };
  const redactor = createRedactor();
  redactor.hide(SECRET);
  const { tracker, codeHost } = redactOutgoing(
    { tracker: port as unknown as Tracker, codeHost: host as unknown as CodeHost },
    redactor,
  );
  await tracker.upsertComment('i', 'status', TEXT);
  await tracker.attach('i', { url: 'https://h/1', title: TEXT });
  await tracker.createIssue({ title: TEXT, description: TEXT, labels: [TEXT] });
  await tracker.agentSessions?.say({
    id: 'a',
    sessionId: 's',
    ephemeral: false,
    options: [TEXT],
    content: { type: 'thought', body: TEXT },
  });
  await codeHost.openPullRequest({ title: TEXT, body: TEXT } as never);
  codeHost.agentApi?.('https://h/r.git')?.judge({ body: { text: TEXT } }, {} as never);
  expect(written).toHaveLength(6);
  expect(JSON.stringify(written)).not.toContain(SECRET);
  expect(JSON.stringify(written).match(/it said \[redacted\] and ended/g)).toHaveLength(10);
});
