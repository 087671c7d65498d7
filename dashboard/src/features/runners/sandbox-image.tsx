import type { Runner } from '@switchyard/shared/api/runner';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'preact/hooks';
import { answer, api, at, until } from '../../api/api.ts';
import { runnersQuery } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/forms/text-field.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { showErrorToast } from '../../ui/overlays/toasts.tsx';
import './sandbox-image.css';

const UNDER_WAY_MS = 1_000;
/** Poll interval without a build, since somebody else may start one. */
const IDLE_MS = 15_000;

/**
 * A runner's missing sandbox image: a button that builds or pulls it, the base image, the progress,
 * the error.
 */
export function SandboxImage({ runner }: { runner: Runner }) {
  const client = useQueryClient();
  const queryKey = ['sandbox-image', runner.runnerId];
  const param = { rid: at(runner.runnerId) };
  const [baseImage, setBaseImage] = useState('');
  // Missing Docker, or its image, is among the warnings of a runner with containers.
  const mayLack = runner.isolation === 'process' || runner.warnings.length > 0;
  const image = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      answer(api.runners[':rid']['sandbox-image'].$get({ param }, until(signal))),
    enabled: runner.status === 'connected' && mayLack,
    refetchInterval: ({ state }) => (state.data?.state === 'providing' ? UNDER_WAY_MS : IDLE_MS),
    // A runner without this call has no button.
    retry: false,
  });
  const provide = useMutation({
    mutationFn: () => {
      const named = baseImage.trim();
      const json = named === '' ? {} : { baseImage: named };
      return answer(api.runners[':rid']['sandbox-image'].$post({ param, json }));
    },
    onSuccess: async (found) => {
      client.setQueryData(queryKey, found);
      // The image already exists, and the runner learned it by this request.
      if (found.state === 'ready')
        await client.invalidateQueries({ queryKey: runnersQuery.queryKey });
    },
    onError: showErrorToast,
  });
  if (!mayLack || image.data === undefined || image.isError) return null;
  const { state, source, step, percent, problem } = image.data;
  const verb = source === 'build' ? 'Build' : 'Pull';
  if (state === 'providing') {
    return (
      <div class="sandbox-image" role="status">
        <progress
          aria-label={`Sandbox image of ${runner.name}`}
          {...(percent === null ? {} : { max: 100, value: percent })}
        />
        <span class="grow wrap">
          {source === 'build' ? 'Building' : 'Pulling'} the sandbox image: {step}
          {percent !== null && ` (${percent} %)`}
        </span>
      </div>
    );
  }
  if (state !== 'missing' && state !== 'failed') return null;
  const usualBase = image.data.baseImage ?? null;
  return (
    <form
      class="sandbox-image"
      onSubmit={(event) => {
        event.preventDefault();
        provide.mutate();
      }}
    >
      {problem !== null && (
        <p class="problem" role="alert">
          <Icon name="failed" size={14} /> <span dir="auto">{problem}</span>
        </p>
      )}
      <Button
        type="submit"
        icon={state === 'failed' ? 'retry' : 'runner'}
        small
        disabled={provide.isPending}
      >
        {state === 'failed' ? 'Try again' : `${verb} image`}
        <span class="visually-hidden"> of {runner.name}</span>
      </Button>
      {usualBase !== null && (
        <details>
          <summary>
            Base image<span class="visually-hidden"> of {runner.name}</span>
          </summary>
          <TextField
            label={`Debian image to build on, instead of ${usualBase}`}
            hint="One that this runner's machine has or can pull."
            placeholder={usualBase}
            maxLength={255}
            spellcheck={false}
            value={baseImage}
            onInput={({ currentTarget }) => setBaseImage(currentTarget.value)}
          />
        </details>
      )}
    </form>
  );
}
