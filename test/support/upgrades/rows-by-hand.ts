const AT_MS = Date.parse('2026-01-02T03:30:00.000Z');
const TOKENS = '{"input":10,"cachedInput":0,"output":5,"reasoning":0,"total":15}';
const ISSUE = { tracker: 'local', issue_id: 'issue-of-elsewhere' };

type Value = string | number | Buffer;

/**
 * A row for each table that needs another service (a code host's comments, a tracker's sessions, an
 * alert that was counted), as the code that writes it would store it. Columns of later schemas are
 * left out: they have to have a default.
 */
export const ROWS_BY_HAND: Readonly<Record<string, Readonly<Record<string, Value>>>> = {
  agent_sessions: {
    ...{ ...ISSUE, session_id: 'session-1', app_user_id: 'user-1', state: 'resting' },
    ...{ thread_id: 'thread-1', told: 'working', told_seq: 3, activity_at_ms: AT_MS },
    created_at_ms: AT_MS,
  },
  agent_activities: {
    ...{ activity_id: 'activity-1', tracker: 'local', session_id: 'session-1' },
    ...{ content: '{"type":"thought","body":"Reading."}', outcome: 'said', created_at_ms: AT_MS },
  },
  alert_counts: { rule_name: 'failures', minute_ms: AT_MS, count: 1 },
  alert_history: {
    ...{ history_id: 'alert-1', rule_name: 'failures', kind: 'trigger', severity: 'critical' },
    ...{ value: 1, threshold: 1, evaluations: 1, message: 'failures: 1 of 1' },
    ...{ first_at_ms: AT_MS, last_at_ms: AT_MS },
  },
  alert_rules: { name: 'failures', condition: 'firing', last_fired_at_ms: AT_MS },
  attempt_artifacts: { attempt_id: 'att_1', files: '[]', left_out: 2, stored_at_ms: AT_MS },
  attempt_checks: {
    ...{ attempt_id: 'att_1', name: 'test', state: 'failed', epoch: 1, commit_sha: 'a'.repeat(40) },
    ...{ run: 2, exit_code: 1, duration_ms: 1200, output: '1 failed', started_at_ms: AT_MS },
    ended_at_ms: AT_MS,
  },
  blobs: {
    ...{ key: 'att_1/1/diff', part: 0, parts: 1, bytes: Buffer.from('diff --git a/a b/a') },
    created_at_ms: AT_MS,
  },
  held_workspaces: { runner_id: 'runner-1', key: 'SY-9', ...ISSUE, revision: 1 },
  jobs: {
    ...{ key: 'fixture', kind: 'notify', payload: '{}', status: 'done', due_at_ms: AT_MS },
    ...{ created_at_ms: AT_MS, done_at_ms: AT_MS },
  },
  local_attachments: {
    ...{ issue_id: 'issue-1', url: 'http://127.0.0.1/pull/1', title: 'Pull request' },
    created_at_ms: AT_MS,
  },
  metric_series: { name: 'switchyard_attempts_total', labels: '{"outcome":"completed"}', value: 1 },
  notification_channels: { name: 'team', delivered: 2, last_success_at_ms: AT_MS },
  pull_request_feedback: {
    ...{ ...ISSUE, pull_request_id: 'pull-1', round: 1, keys: '["review-1"]' },
    ...{ body: 'Please rename it.', started: 1, created_at_ms: AT_MS },
  },
  recovery_reports: {
    report_id: 'rec-1',
    ...{ instance_id: 'instance-1', started_at_ms: AT_MS },
    found: '{}',
  },
  steers: {
    ...{ message_id: 'steer-1', attempt_id: 'att_1', body: 'Use the short name.' },
    ...{ actor: 'ada', created_at_ms: AT_MS },
  },
  thread_usage: { thread_id: 'thread-9', ...ISSUE, tokens: TOKENS, updated_at_ms: AT_MS },
  transitions: {
    ...{ ...ISSUE, identifier: 'SY-9', from_state: 'Todo', to_state: 'In Progress' },
    ...{ actor: 'ada', at_ms: AT_MS },
  },
  upstream_pauses: {
    ...{ upstream: 'codehost', reason: 'The host does not answer.', failures: 2 },
    ...{ reason_code: 'codehost_unreachable', due_at_ms: AT_MS, since_ms: AT_MS },
  },
  usage_days: { day: '2026-01-01', tokens: 15, cost_usd: 0.25 },
  webhook_deliveries: {
    ...{ provider: 'github', delivery_id: 'delivery-1', event: 'push', body: '{}' },
    ...{ status: 'done', next_try_at_ms: AT_MS, received_at_ms: AT_MS, ended_at_ms: AT_MS },
  },
  workspaces: {
    ...{ runner_id: 'runner-1', key: 'SY-9', path: '/srv/work/SY-9', identifier: 'SY-9' },
    ...{ disk_bytes: 4096, disk_complete: 1, last_modified_at_ms: AT_MS, in_use: 0 },
    reported_at_ms: AT_MS,
  },
};
