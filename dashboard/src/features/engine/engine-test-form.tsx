import type { Engine, EngineChoice, EngineTest } from '@switchyard/shared/api/engines';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'preact/hooks';
import { formatCount } from '../../format/format-count.ts';
import { formatDuration } from '../../format/time.ts';
import { Form } from '../../ui/forms/form.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { Button } from '../../ui/button.tsx';
import { Due } from '../../ui/marks/ago.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { Problem } from '../../ui/marks/problem.tsx';
import { testEngine } from './queries.ts';

/** Runs one small test turn on an engine and shows the result. */
export function EngineTestForm({ engine, choices }: { engine: Engine; choices: EngineChoice[] }) {
  const here = engine.runners.filter(({ connected }) => connected);
  const [runner, chooseRunner] = useState('');
  const [choice, choose] = useState('');
  const test = useMutation({
    mutationFn: () =>
      testEngine(engine.name, {
        ...(runner === '' ? {} : { runner }),
        ...(choice === '' ? {} : { choice }),
      }),
  });
  if (here.length === 0) return null;
  return (
    <>
      <Form class="engine-test" onSubmit={() => test.isPending || test.mutate()}>
        <Button type="submit" icon="engine" aria-disabled={test.isPending}>
          Run a test turn
        </Button>
        {choices.length > 1 && (
          <Select
            aria-label={`Choice to test ${engine.name} with`}
            options={[['', 'First choice'], ...choices.map(({ name }) => name)]}
            value={choice}
            onChoose={choose}
          />
        )}
        {here.length > 1 && (
          <Select
            aria-label={`Runner to test ${engine.name} on`}
            options={[
              ['', 'Least busy runner'],
              ...here.map(({ runnerId, name }) => [runnerId, name] as const),
            ]}
            value={runner}
            onChoose={chooseRunner}
          />
        )}
      </Form>
      <div role="status" class="engine-test-result">
        {test.isPending ? (
          <p class="note">
            <Icon name="running" size={14} /> Starting the engine and asking one question; this
            takes up to two minutes.
          </p>
        ) : (
          test.data !== undefined && <TestResult result={test.data} />
        )}
        <Problem error={test.error} />
      </div>
      <p class="quiet">
        A test turn uses the configured account and costs the tokens of one short answer.
      </p>
    </>
  );
}

function TestResult({ result }: { result: EngineTest }) {
  const { failure } = result;
  if (failure !== null) {
    return (
      <>
        <p class="problem wrap">
          <Icon name="failed" size={14} />
          <span dir="auto">{failure.message}</span>
        </p>
        <p class="wrap">
          {failure.advice}
          {failure.resetAt !== null && (
            <>
              {' '}
              The provider resets <Due at={failure.resetAt} />.
            </>
          )}
        </p>
        <p class="quiet wrap">{measuredText(result)}</p>
      </>
    );
  }
  return (
    <>
      <p class="note good wrap">
        <Icon name="completed" size={14} />
        <span dir="auto">
          {result.text === '' ? 'The turn ended without words.' : `Answered “${result.text}”`}
        </span>
      </p>
      <p class="quiet wrap">{measuredText(result)}</p>
    </>
  );
}

/** The measurements of a test that are known, as text. */
function measuredText({ version, model, startMs, turnMs, tokens }: EngineTest): string {
  const parts = [
    version === null ? null : `version ${version}`,
    `model ${model}`,
    startMs === null ? null : `started in ${formatDuration(startMs)}`,
    turnMs === null ? null : `turn of ${formatDuration(turnMs)}`,
    tokens === null ? null : `${formatCount(tokens.total)} tokens`,
  ];
  return parts.filter((part) => part !== null).join(' · ');
}
