import { TriggerRequest } from '@switchyard/shared/api/admin/webhook';
import { setTimer } from '../../jobs/queue/set-timer.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import type { DeliveryHandler, DeliveryResult } from '../../ports/ports.ts';
import { TRIGGER_CALLER } from './trigger-caller.ts';

/** Performs stored triggers. */
export function createTriggerHandler(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'trackers' | 'runAutomation'>,
): DeliveryHandler {
  return {
    async handle({ body }) {
      const parsed = TriggerRequest.safeParse(JSON.parse(body));
      if (!parsed.success) return { outcome: 'refused', reason: 'written by another version' };
      try {
        return await perform(deps, parsed.data);
      } catch (error) {
        // A client error would recur, so the trigger is refused instead of retried.
        if (!(error instanceof AppError) || error.status >= 500) throw error;
        return { outcome: 'refused', reason: error.message };
      }
    },
  };
}

async function perform(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'trackers' | 'runAutomation'>,
  request: TriggerRequest,
): Promise<DeliveryResult> {
  switch (request.action) {
    case 'create_issue':
      await createIssue(deps, request);
      return { outcome: 'processed', statements: [setTimer(deps.db, 'poll', deps.clock.nowMs())] };
    case 're_poll':
    case 'refresh_issue':
      return { outcome: 'processed', statements: [setTimer(deps.db, 'poll', deps.clock.nowMs())] };
    case 'run_automation': {
      if (deps.runAutomation === undefined) throw new AppError('conflict', 'no automations here');
      await deps.runAutomation(request.automation_name, TRIGGER_CALLER);
      return { outcome: 'processed' };
    }
  }
}

async function createIssue(
  deps: Pick<Deps, 'config' | 'trackers'>,
  request: Extract<TriggerRequest, { action: 'create_issue' }>,
): Promise<void> {
  const { kind } = (await deps.config.load()).tracker;
  const tracker = deps.trackers.get(kind);
  if (tracker === undefined) throw new Error(`no tracker ${kind} is set up`);
  const { title, description, labels, priority } = request;
  await tracker.createIssue({
    title,
    ...(description === undefined ? {} : { description }),
    ...(labels === undefined ? {} : { labels }),
    ...(priority === undefined ? {} : { priority }),
  });
}
