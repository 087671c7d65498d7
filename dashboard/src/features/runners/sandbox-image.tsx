import type { Runner } from '@switchyard/shared/api/runner';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answer, api, at, until } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { showErrorToast } from '../../ui/overlays/toast.tsx';
import './sandbox-image.css';

const UNDER_WAY_MS = 1_000;
/** Somebody else may begin a build. */
const IDLE_MS = 15_000;

/** The missing sandbox image of a runner: a button that has it built, how far that is, why it failed. */
export function SandboxImage({ runner }: { runner: Runner }) {
  const client = useQueryClient();
  const queryKey = ['sandbox-image', runner.runnerId];
  const param = { rid: at(runner.runnerId) };
  const image = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      answer(api.runners[':rid']['sandbox-image'].$get({ param }, until(signal))),
    enabled: runner.status === 'connected' && runner.isolation === 'process',
    refetchInterval: ({ state }) => (state.data?.state === 'providing' ? UNDER_WAY_MS : IDLE_MS),
    // A runner that does not know the question has no button.
    retry: false,
  });
  const provide = useMutation({
    mutationFn: () => answer(api.runners[':rid']['sandbox-image'].$post({ param })),
    onSuccess: (found) => client.setQueryData(queryKey, found),
    onError: showErrorToast,
  });
  if (runner.isolation !== 'process' || image.data === undefined || image.isError) return null;
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
  return (
    <div class="sandbox-image">
      {problem !== null && (
        <p class="problem" role="alert">
          <Icon name="failed" size={14} /> <span dir="auto">{problem}</span>
        </p>
      )}
      <Button
        icon={state === 'failed' ? 'retry' : 'runner'}
        small
        disabled={provide.isPending}
        onClick={() => provide.mutate()}
      >
        {state === 'failed' ? 'Try again' : `${verb} image`}
        <span class="visually-hidden"> of {runner.name}</span>
      </Button>
    </div>
  );
}
