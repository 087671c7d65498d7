import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import {
  choiceAsked,
  choiceNamed,
  type EngineChoice,
} from '../../config/provider/engine-choice.ts';
import { DEFAULT_CHOICE } from '../../config/sections/routing/engine-choices.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';

/** What rules and overrides look at. */
export type RoutedIssue = Pick<
  IssueRow,
  'labels' | 'state' | 'template_id' | 'engine' | 'model' | 'reasoning_effort'
> & {
  /** Url of the repository that it belongs to; null: none. */
  repository: string | null;
  /** Automation that made it; null: none did. */
  automation: string | null;
};

type Rule = EffectiveConfig['engine']['rules'][number];

/**
 * The choices that may work on an issue, in the order in which they are tried: what a person chose
 * for it, else what the first matching rule uses, then the chain. A model or effort that was chosen
 * for the issue is that of the first one, since other providers call theirs otherwise. Null when a
 * person chose what is not configured any more.
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
  // The script is no model that could be another one.
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

/** Every condition that a rule has must hold; one without any always does. */
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
