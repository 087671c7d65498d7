import { z } from 'zod';

/**
 * Why an issue or an attempt stands as it does, a pause holds or a warning is shown: closed, and
 * what everything branches on. Words for people are in the catalogue, one entry for each.
 */
export const ReasonCode = z
  .enum([
    // It waits and goes on by itself.
    'offered',
    'offer_expired',
    'runner_declined',
    'runner_returned',
    'settings_changed',
    'slots_full',
    'provider_trial',
    'codehost_trial',
    'failed_over',
    'providers_paused',
    'retry_requested',
    'given_to_agent',
    'comment_received',
    'tracker_changed',
    'feedback_received',
    'work_left',
    'stopped_by_pause',
    'service_paused',
    'blocked_by_issues',
    'delivery_repeated',
    // It cannot start before a person does something.
    'provider_key_missing',
    'repository_missing',
    'runner_missing',
    'runner_label_missing',
    'runner_too_weak',
    'runner_engine_missing',
    'engine_missing',
    'label_missing',
    'config_invalid',
    'template_missing',
    'template_broken',
    'tracker_excluded',
    // An upstream does not work now.
    'provider_unreachable',
    'provider_limited',
    'provider_auth_failed',
    'codehost_unreachable',
    'codehost_limited',
    'codehost_auth_failed',
    // An attempt failed.
    'agent_error',
    'engine_killed',
    'engine_ended',
    'context_exceeded',
    'container_oom',
    'turn_stalled',
    'agent_stalled',
    'runner_lost',
    'workspace_error',
    'repository_refused',
    'delivery_error',
    'delivery_refused',
    'work_refused',
    'attempt_time_used',
    'issue_budget_used',
    'unattended_runs_used',
    'day_budget_used',
    'ended_without_result',
    // A person or the tracker stopped it.
    'stopped_by_person',
    'tracker_moved',
    'tracker_gone',
    'tracker_replaced',
    'tracker_starts_used',
    // The agent, or its pull request, says how it stands.
    'agent_blocked',
    'pull_request_opened',
    'done_without_changes',
    'report_done',
    'pull_request_closed',
    'pull_request_reopened',
    'pull_request_missing',
    'pull_request_found',
    'feedback_limit',
    // A warning about the service itself.
    'runner_warning',
    'config_warning',
  ])
  .meta({ id: 'ReasonCode' });
export type ReasonCode = z.infer<typeof ReasonCode>;
