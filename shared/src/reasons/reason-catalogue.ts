import type { ReasonCode } from '../api/work/reason-code.ts';
import type { ReasonAction } from './reason-actions.ts';

/** The texts for a reason, wherever people see it. */
export type ReasonEntry = {
  /** The problem, as a sentence. */
  cause: string;
  /** The person's next step, as a sentence. */
  next: string;
  action: ReasonAction;
  /**
   * When the issue waits for a person: `always`, only after it has stopped (`parked`), or `never`.
   */
  person: 'always' | 'parked' | 'never';
  /** The reason's own text adds facts to the cause, for example names or the message of a host. */
  hasDetail: boolean;
};

const BY_ITSELF = 'Nothing to do: it goes on by itself.';

/** An entry for waiting that needs no person. */
const waits = (cause: string): ReasonEntry => ({
  cause,
  next: BY_ITSELF,
  action: 'none',
  person: 'never',
  hasDetail: false,
});
/** An entry for work that cannot start before a person acts. */
const needs = (action: ReasonAction, cause: string, next: string): ReasonEntry => ({
  cause,
  next,
  action,
  person: 'always',
  hasDetail: true,
});
/** An entry for a failure that is retried until the tries are used up; then a person must act. */
const fails = (cause: string, next: string, action: ReasonAction = 'retry'): ReasonEntry => ({
  cause,
  next,
  action,
  person: 'parked',
  hasDetail: true,
});
const withDetail = (entry: ReasonEntry): ReasonEntry => ({ ...entry, hasDetail: true });
const withoutDetail = (entry: ReasonEntry): ReasonEntry => ({ ...entry, hasDetail: false });

/** One entry for each code, which every place that shows a reason uses. */
export const REASON_CATALOGUE: Record<ReasonCode, ReasonEntry> = {
  offered: waits('The issue was offered to a runner.'),
  offer_expired: waits('A runner did not take the offer in time; another one is asked.'),
  runner_declined: withDetail(waits('A runner declined the issue; another one is asked.')),
  runner_returned: waits('The runner gave the work back in good order; another one takes it.'),
  settings_changed: waits('The model provider was changed; the issue is offered anew.'),
  slots_full: withDetail(waits('Every slot for agents is in use.')),
  runner_engine_fetching: withDetail(
    waits('A runner is fetching the agent engine that the issue needs.'),
  ),
  provider_trial: waits('One attempt tries whether the model provider answers again.'),
  codehost_trial: waits('One attempt tries whether the code host answers again.'),
  failed_over: withDetail(waits('Another agent engine or account goes on with the issue.')),
  providers_paused: withDetail(
    waits('No model provider of the issue’s chain can be used for now.'),
  ),
  retry_requested: withDetail(waits('Retried by a person.')),
  given_to_agent: withDetail(waits('A person gave the issue to the agent.')),
  comment_received: withDetail(waits('Retried because of a comment on the issue.')),
  tracker_changed: waits('The issue was changed in the tracker.'),
  feedback_received: withDetail(waits('The pull request has feedback for the agent to work on.')),
  plan_approved: waits('The plan is approved; the work begins.'),
  plan_sent_back: waits('A person asked for another plan.'),
  work_left: waits('The agent stopped before the work was done; another attempt continues.'),
  stopped_by_pause: waits('Stopped by the pause.'),
  service_paused: {
    cause: 'Switchyard is paused.',
    next: 'Resume when work may start again.',
    action: 'resume',
    person: 'never',
    hasDetail: true,
  },
  blocked_by_issues: withDetail(waits('The issue waits for other issues.')),
  sub_issues_open: withDetail(waits('The issue waits for its sub-issues.')),
  delivery_repeated: withDetail(
    waits('The work is done; its delivery met trouble and is retried.'),
  ),
  merge_queued: withDetail(waits('The pull request waits in the merge queue.')),
  merge_testing: waits('The merge of the pull request is tested.'),
  merge_base_moved: waits('The base branch moved during the test, which is repeated.'),
  review_running: waits('Another agent reviews the pull request.'),
  review_repeated: withDetail(waits('The review of the pull request is repeated.')),

  provider_key_missing: withoutDetail(
    needs(
      'connect_provider',
      'No key of the model provider is set, so no agent can start.',
      'Enter the key of your model provider.',
    ),
  ),
  trial_is_on: withoutDetail(
    needs(
      'connect_provider',
      'A model began this, and a trial without a model is on.',
      'End the trial, or cancel the attempt and retry the issue.',
    ),
  ),
  repository_missing: withoutDetail(
    needs(
      'add_repository',
      'No repository is set for this issue.',
      'Say which repository issues like this one belong to.',
    ),
  ),
  runner_missing: withoutDetail(
    needs(
      'add_runner',
      'No runner is connected, so no agent can start.',
      'Start a runner, or connect one that has stopped.',
    ),
  ),
  runner_label_missing: needs(
    'add_runner',
    'No connected runner has the label that the issue asks for.',
    'Give a runner that label, or take the label off the issue.',
  ),
  runner_too_weak: needs(
    'add_runner',
    'No connected runner isolates agents as strongly as the settings ask.',
    'Connect a runner with that isolation, or change engine.sandbox in the settings.',
  ),
  runner_engine_missing: needs(
    'add_runner',
    'No connected runner has the agent engine that the issue needs.',
    'See on the Runners page whether a runner could not fetch it; else connect one that has it, or choose another engine in the settings or for the issue.',
  ),
  engine_missing: needs(
    'open_issue',
    'The engine that was chosen for the issue is not in the settings.',
    'Choose another one for the issue, or add it to engine.choices.',
  ),
  label_missing: {
    cause: 'The issue lacks a label that the settings require.',
    next: 'Add the label in the tracker when an agent shall work on the issue.',
    action: 'open_tracker',
    person: 'never',
    hasDetail: true,
  },
  blocked_by_circle: needs(
    'open_tracker',
    'The issue waits for itself, through issues that block it or are its sub-issues.',
    'Remove one of the relations in the tracker; it goes on with the next poll.',
  ),
  config_invalid: needs(
    'edit_settings',
    'The configuration file has an error, so nothing new starts.',
    'Mend the file; it is read again by itself.',
  ),
  template_missing: needs(
    'edit_templates',
    'The prompt template of the issue does not exist.',
    'Choose another template for the issue, or make one with that name.',
  ),
  template_broken: fails(
    'The prompt template cannot be rendered.',
    'Mend the template, then retry the issue.',
    'edit_templates',
  ),
  tracker_excluded: {
    cause: 'The issue is not among those that Switchyard works on.',
    next: 'Assign or label it in the tracker, or add a route to its repository, when an agent shall work on it.',
    action: 'open_tracker',
    person: 'never',
    hasDetail: true,
  },

  provider_unreachable: waits('The model provider cannot be reached.'),
  provider_silent: withDetail(waits('The model provider was asked and sends no answer.')),
  provider_limited: withDetail(waits('The model provider limits usage for now.')),
  provider_auth_failed: needs(
    'connect_provider',
    'The model provider refuses the key.',
    'Enter a valid key; work goes on by itself then.',
  ),
  codehost_unreachable: waits('The code host cannot be reached.'),
  codehost_limited: withDetail(waits('The code host limits requests for now.')),
  codehost_auth_failed: needs(
    'connect_code_host',
    'The code host refuses the credentials.',
    'Check the credentials for the repository; work goes on by itself then.',
  ),

  agent_error: fails(
    'The agent reported an error.',
    'Read the end of the log, then retry the issue.',
  ),
  engine_killed: fails(
    'The agent’s process was killed from outside.',
    'Look on the runner’s machine for what kills processes (memory, a cleaner, a person), then retry.',
  ),
  engine_ended: fails(
    'The agent’s process ended before its work did.',
    'Read the end of the log, then retry the issue.',
  ),
  context_exceeded: fails(
    'The conversation is longer than the model can read.',
    'Split the issue into smaller ones, or choose a model with a larger context.',
  ),
  session_shared: fails(
    'The agent engine gave the session of this issue the name of another issue’s.',
    'Use a version of the engine whose sessions have names of their own, or another engine; then retry the issue.',
  ),
  container_oom: withoutDetail(
    fails(
      'The sandbox ran out of memory.',
      'Raise the memory of the sandbox (engine.sandbox) or make the task smaller, then retry.',
    ),
  ),
  turn_stalled: fails(
    'The agent engine went silent during a turn.',
    'Retry the issue; if that repeats, raise engine.stallTimeoutMs.',
  ),
  agent_stalled: fails(
    'The agent made no progress for too long.',
    'Read the log for what it waited for, then retry the issue.',
  ),
  runner_lost: fails(
    'The runner that worked on it was lost.',
    'See on the Runners page why machines disappear, then retry the issue.',
  ),
  workspace_error: fails(
    'The workspace could not be prepared or read.',
    'Check the repository and its hooks, then retry the issue.',
  ),
  repository_refused: fails(
    'The runner may not use the repository at that address.',
    'Start the runner with --allow-folder, the folders that it has and the one that is named, or change the route of the repository; then retry the issue.',
  ),
  repository_unusable: fails(
    'There is no repository with a commit at the address.',
    'Correct the address of the repository, or push a first commit; then retry the issue.',
  ),
  base_missing: fails(
    'The branch that the repository’s route configures does not exist.',
    'Push that branch, or configure another default branch for the repository; then retry the issue.',
  ),
  branch_refused: fails(
    'The name of a branch cannot be used.',
    'Change the branch that is named in the route of the repository, then retry the issue.',
  ),
  workspace_foreign: fails(
    'Something that the runner did not make for this work stands where the workspace belongs.',
    'Save what you need of it and remove it, on the Runners page or, where that does not list it, on the machine; then retry the issue.',
  ),
  signing_key_missing: fails(
    'Commits are to be signed, and the runner has no key.',
    'Start the runner with --signing-key, or turn signing off in the settings; then retry the issue.',
  ),
  settings_not_hidden: fails(
    'The repository has settings from which the agent engine runs programs, and a plain process cannot hide them.',
    'Run agents in Docker, or allow the repository’s own settings (engine.repositorySettings); then retry the issue.',
  ),
  delivery_error: fails(
    'The result could not be delivered, also not after several tries. The work is kept.',
    'Mend what stands against it, then deliver again; no agent runs for that.',
    'deliver_again',
  ),
  delivery_refused: fails(
    'The repository refuses the result. The work is kept.',
    'Change the rule or permission that is named, then deliver again; no agent runs for that.',
    'deliver_again',
  ),
  work_refused: fails(
    'The result holds something that may not be delivered, and the agent left it there.',
    'Read what is named and say in a comment how to put it right, or retry; a protected path can be allowed with agent.push.allowPaths.',
  ),
  checks_failed: fails(
    'The work does not pass the checks of its repository, and the agent could not mend that.',
    'Read what they printed and say in a comment how to go on, or retry; Deliver as draft opens the work as it is.',
  ),
  merge_conflict: fails(
    'The pull request conflicts with its base branch.',
    'The agent resolves the conflict while it has attempts for it; after that resolve it yourself, or retry the issue.',
  ),
  merge_branch_moved: fails(
    'The branch of the pull request is not at the commit that was to be merged.',
    'Look at what was pushed to it, then queue the pull request again.',
    'open_merge_queue',
  ),
  merge_removed: fails(
    'The pull request was taken out of the merge queue.',
    'Queue it again, or merge or close it.',
    'open_merge_queue',
  ),
  merge_condition: fails(
    'The merge policy leaves this pull request to a person.',
    'Read it, then queue or merge it.',
    'open_merge_queue',
  ),
  merge_failed: fails(
    'The merge could not be tested.',
    'Mend what the reason names, then queue the pull request again.',
    'open_merge_queue',
  ),
  review_branch_moved: fails(
    'The branch of the pull request is not at the commit that was to be reviewed.',
    'Look at what was pushed to it, then ask for another review.',
    'open_issue',
  ),
  review_failed: {
    cause: 'The review of the pull request ended without a verdict.',
    next: 'Ask for another review, or read the pull request yourself.',
    action: 'open_issue',
    person: 'always',
    hasDetail: true,
  },
  attempt_time_used: fails(
    'The attempt took longer than one attempt may take.',
    'Raise agent.budget.attemptMinutes; the issue goes on by itself then.',
    'edit_budget',
  ),
  tree_budget_used: fails(
    'The budget of the issue’s tree is used up.',
    'Raise agent.budget.treeTokens or agent.budget.treeCostUsd; its issues go on by themselves then.',
    'edit_budget',
  ),
  issue_budget_used: fails(
    'The budget of this issue is used up.',
    'Raise the budget, or retry the issue to grant it a new one.',
    'edit_budget',
  ),
  unattended_runs_used: fails(
    'Agents have run on this issue as often as they may until a person does something about it.',
    'See in its attempts why they ended, then retry the issue or comment on it; or raise agent.budget.unattendedRuns.',
  ),
  day_budget_used: fails(
    'The budget of the day is used up.',
    'Wait for the next day (UTC), or raise the budget.',
    'edit_budget',
  ),
  ended_without_result: fails(
    'The agent ended without saying that it is done or blocked.',
    'Make the issue clearer or smaller, then retry it.',
  ),

  stopped_by_person: {
    cause: 'Stopped by a person.',
    next: 'Retry it when it should go on.',
    action: 'retry',
    person: 'never',
    hasDetail: true,
  },
  tracker_moved: withDetail(waits('The issue was moved to a state in which no agent works.')),
  tracker_gone: {
    cause: 'The issue is no longer in the tracker.',
    next: 'Nothing to do: its work is kept, and it stands as before if the tracker shows it again.',
    action: 'none',
    person: 'never',
    hasDetail: false,
  },
  tracker_replaced: waits('Another issue now has its number in the tracker.'),
  tracker_starts_used: fails(
    'Changes in the tracker keep starting the issue again.',
    'Look for a rule or a tool that changes it there; comment on the issue or retry it to go on.',
  ),

  agent_blocked: fails(
    'The agent needs a person to go on.',
    'Answer in a comment on the issue, or change the issue; it goes on by itself then.',
    'open_issue',
  ),
  plan_waiting: withoutDetail(
    fails(
      'The agent has made a plan.',
      'Approve it, or say what should be different: in the inbox, or in a comment on the issue.',
      'answer',
    ),
  ),
  plan_expired: withoutDetail(
    fails('Nobody decided the plan in time.', 'Retry: the agent makes another plan.'),
  ),
  pull_request_opened: {
    cause: 'The work is delivered as a pull request.',
    next: 'Review the pull request.',
    action: 'open_issue',
    person: 'never',
    hasDetail: false,
  },
  done_without_changes: {
    cause: 'The agent is done; no changes were needed.',
    next: 'Close the issue if nothing is left to do.',
    action: 'open_tracker',
    person: 'never',
    hasDetail: false,
  },
  report_done: {
    cause: 'The agent has written its report.',
    next: 'Read the report.',
    action: 'open_issue',
    person: 'never',
    hasDetail: false,
  },
  pull_request_closed: fails(
    'The pull request was closed without a merge.',
    'Say on the issue what to do instead, or retry it.',
    'open_issue',
  ),
  pull_request_reopened: {
    cause: 'The pull request is open again.',
    next: 'Review the pull request.',
    action: 'open_issue',
    person: 'never',
    hasDetail: true,
  },
  pull_request_missing: {
    cause: 'The pull request cannot be found on its host; it is looked for again.',
    next: 'Check that the credentials may see the repository, or retry the issue.',
    action: 'connect_code_host',
    person: 'always',
    hasDetail: true,
  },
  pull_request_found: {
    cause: 'The pull request is there again.',
    next: 'Review the pull request.',
    action: 'open_issue',
    person: 'never',
    hasDetail: true,
  },
  pull_request_merged: {
    cause: 'The pull request is merged.',
    next: 'Nothing to do.',
    action: 'none',
    person: 'never',
    hasDetail: false,
  },
  review_approved: {
    cause: 'A review has approved the pull request.',
    next: 'Merge the pull request.',
    action: 'open_issue',
    person: 'never',
    hasDetail: false,
  },
  review_changes_requested: {
    cause: 'A review asks for changes to the pull request.',
    next: 'Read what it found: say in a comment what to do, retry the issue, or merge it as it is.',
    action: 'open_issue',
    person: 'always',
    hasDetail: true,
  },
  sub_issues_done: {
    cause: 'All sub-issues have ended.',
    next: 'Nothing to do.',
    action: 'none',
    person: 'never',
    hasDetail: true,
  },
  sub_issues_canceled: fails(
    'All sub-issues were closed, and none of them was done.',
    'Close the issue, split it again, or retry it to have an agent work on all of it.',
  ),
  feedback_limit: {
    cause: 'The pull request has feedback, and no attempt is left for it.',
    next: 'Retry the issue to have it worked on, or raise agent.maxFeedbackAttempts.',
    action: 'retry',
    person: 'always',
    hasDetail: true,
  },

  runner_warning: {
    cause: 'A runner warns of its isolation.',
    next: 'Do what it says, or read what isolation protects.',
    action: 'read_isolation',
    person: 'never',
    hasDetail: true,
  },
  config_warning: {
    cause: 'The configuration has a problem.',
    next: 'Mend the setting that is named.',
    action: 'edit_settings',
    person: 'never',
    hasDetail: true,
  },
};
