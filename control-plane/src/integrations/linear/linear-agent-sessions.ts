import type {
  ActivityOutcome,
  AgentActivity,
  AgentSessions,
} from '../../ports/tracker/agent-sessions.ts';
import { TrackerError } from '../../ports/tracker/tracker.ts';
import {
  ACTIVITY,
  CREATE_ACTIVITY,
  DELEGATE_OF_ISSUE,
  SESSION,
  SET_DELEGATE,
  UPDATE_SESSION,
} from './api/agent-documents.ts';
import type { LinearClient, LinearOperation } from './api/linear-client.ts';

/** Linear's agent sessions behind the port. */
export function createLinearAgentSessions(ask: LinearClient): AgentSessions {
  return {
    say: (activity) => say(ask, activity),
    link: async (id, { url, label }) => {
      await ask(UPDATE_SESSION, { id, input: { externalUrls: [{ url, label }] } });
    },
    takeOver: async (id, delegateId) => {
      const { issue } = await ask(DELEGATE_OF_ISSUE, { id });
      if (!issue.delegate) await ask(SET_DELEGATE, { id, delegateId });
    },
  };
}

async function say(ask: LinearClient, activity: AgentActivity): Promise<ActivityOutcome> {
  const { id, sessionId, content, ephemeral, options } = activity;
  const isPassing = content.type === 'thought' || content.type === 'action';
  const input = {
    id,
    agentSessionId: sessionId,
    content,
    // Linear accepts ephemeral only for these two types.
    ...(ephemeral && isPassing ? { ephemeral: true } : {}),
    ...(options === null ? {} : selection(options)),
  };
  try {
    await ask(CREATE_ACTIVITY, { input });
    return 'said';
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (await isThere(ask, ACTIVITY, id)) return 'said';
    return (await isThere(ask, SESSION, sessionId)) ? 'refused' : 'gone';
  }
}

function selection(options: readonly string[]) {
  const choices = options.map((label) => ({ label, value: label }));
  return { signal: 'select', signalMetadata: { options: choices } };
}

/** Throws errors that may be transient, so that only Linear's own answer counts as "not there". */
async function isThere(
  ask: LinearClient,
  operation: LinearOperation<unknown>,
  id: string,
): Promise<boolean> {
  try {
    await ask(operation, { id });
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof TrackerError && error.category === 'status' && error.isRefusal;
}
