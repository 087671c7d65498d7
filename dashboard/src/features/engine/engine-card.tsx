import type { Engine, EngineChoice } from '@switchyard/shared/api/engines';
import { AWAITED_ENGINE } from '../../format/engine-label.ts';
import { Fact } from '../../ui/data/fact.tsx';
import { Badge } from '../../ui/marks/badge.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { EngineTestForm } from './engine-test-form.tsx';
import '../../ui/data/fact-grid.css';

/** Level of the cards' headings. */
export type Heading = 'h2' | 'h3';

/** One agent engine: its runners, capabilities and configuration, and a test. */
export function EngineCard(props: { engine: Engine; choices: EngineChoice[]; heading: Heading }) {
  const { engine, choices, heading: Title } = props;
  const title = `engine-${engine.name}`;
  return (
    <section class="panel engine-part engine-card" aria-labelledby={title}>
      <header>
        <Title id={title} class="mono">
          {engine.name}
        </Title>
        <EngineMarks engine={engine} />
      </header>
      {engine.advice !== null && (
        <p class="note warning wrap">
          <Icon name="warning" size={14} />
          <span>{engine.advice}</span>
        </p>
      )}
      <dl class="fact-grid">
        <Fact name="Runners" class="wrap">
          {engine.runners.length === 0
            ? 'None has it'
            : engine.runners
                .map(({ name, version, state, connected }) => {
                  const awaits = state === undefined ? null : `(${AWAITED_ENGINE[state]})`;
                  return [name, version, connected ? awaits : '(offline)']
                    .filter(Boolean)
                    .join(' ');
                })
                .join(', ')}
        </Fact>
        <Fact name="Choices" class="wrap">
          {choices.length === 0 ? 'None in the settings' : choices.map(choiceText).join(', ')}
        </Fact>
      </dl>
      {engine.abilities.length > 0 && (
        <ul class="abilities" aria-label={`What ${engine.name} can do`}>
          {engine.abilities.map(({ name, supported, text }) => (
            <li key={name} class={supported ? '' : 'quiet'}>
              <Icon name={supported ? 'check' : 'close'} size={14} />
              <span class="visually-hidden">{supported ? 'Yes: ' : 'No: '}</span>
              <span>{text}</span>
            </li>
          ))}
        </ul>
      )}
      <EngineTestForm engine={engine} choices={choices} />
    </section>
  );
}

function EngineMarks({ engine }: { engine: Engine }) {
  const isHere = engine.runners.some(({ connected, state }) => connected && state !== 'failed');
  return (
    <span class="engine-marks">
      {engine.isDefault && <Badge tone="info">Default</Badge>}
      {engine.experimental && <Badge tone="warning">Experimental</Badge>}
      {isHere ? <Badge tone="good">Available</Badge> : <Badge tone="quiet">Not available</Badge>}
    </span>
  );
}

function choiceText({ name, model, account }: EngineChoice): string {
  return `${name} (${account === null ? model : `${model}, account ${account}`})`;
}
