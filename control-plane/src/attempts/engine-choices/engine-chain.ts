import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import {
  choiceAsked,
  choiceNamed,
  type EngineChoice,
} from '../../config/provider/engine-choice.ts';
import { DEFAULT_CHOICE } from '../../config/sections/routing/engine-choices.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';

/** The columns of an issue that rules and overrides depend on. */
export type RoutedIssue = Pick<
  IssueRow,
  'labels' | 'state' | 'template_id' | 'engine' | 'model' | 'reasoning_effort'
> & {
  /** Url of the issue's repository; null when it has none. */
  repository: string | null;
  /** Automation that created the issue; null when none did. */
  automation: string | null;
};

type Rule = EffectiveConfig['engine']['rules'][number];

/**
 * The choices for an issue in the order in which they are tried: a person's choice, else that of
 * the first matching rule, then the configured chain. A model or effort chosen for the issue
 * applies to the first choice only, since other providers name theirs differently. Null if a person
 * chose an engine that is no longer configured.
 */
export function engineChain(
  issue: RoutedIssue,
  config: Pick<EffectiveConfig, 'engine' | 'agent'>,
): EngineChoice[] | null {
  const { engine } = config;
  const rule = engine.rules.find((one) => matches(one, issue, config.agent.templateId ?? null));
  const asked = issue.engine === null ? undefined : choiceAsked(config, issue.engine);
  if (asked === null) return null;
  const failover = rule?.failover ?? engine.failover;
  const first = asked?.name ?? rule?.use;
  const names = [...(first === undefined ? [] : [first]), ...failover];
  if (names.length === 0) names.push(DEFAULT_CHOICE);
  const chain = [...new Set(names)].flatMap((name) => choiceNamed(config, name) ?? []);
  // The scripted model of a trial cannot be replaced by another model.
  if (engine.trial) return chain;
  return chain.map((choice, index) => (index === 0 ? withOwnModel(choice, issue) : choice));
}

function withOwnModel(choice: EngineChoice, issue: RoutedIssue): EngineChoice {
  return {
    ...choice,
    model: issue.model ?? choice.model,
    reasoningEffort: issue.reasoning_effort ?? choice.reasoningEffort,
  };
}

/** Whether all conditions of a rule hold; a rule without conditions always matches. */
function matches(rule: Rule, issue: RoutedIssue, templateId: string | null): boolean {
  const labels = new Set(issue.labels.map(plain));
  const { labels: wanted, states, repositories, templates, automations } = rule;
  const isOf = (list: readonly string[] | undefined, value: string | null) =>
    list === undefined || (value !== null && list.includes(value));
  return (
    (wanted === undefined || wanted.some((label) => labels.has(plain(label)))) &&
    (states === undefined || states.map(plain).includes(plain(issue.state))) &&
    isOf(repositories, issue.repository) &&
    isOf(templates, issue.template_id ?? templateId) &&
    isOf(automations, issue.automation)
  );
}

function plain(text: string): string {
  return text.trim().toLowerCase();
}
