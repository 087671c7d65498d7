import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { Button, type ButtonProps } from './button.tsx';
import { showErrorToast, showToast } from './overlays/toasts.tsx';

type ActionButtonProps = Omit<ButtonProps, 'onClick'> & {
  action: () => Promise<unknown>;
  /** Toast after success. */
  done?: string;
  /** Label of the button while the action runs. */
  busy?: string;
  /** Queries that the action changes: refetched afterwards, also after a failure. */
  stale: readonly QueryKey[];
};

/** A button that runs an action at once and reports its result. */
export function ActionButton(props: ActionButtonProps) {
  const { action, done, busy, stale, disabled = false, children, ...buttonProps } = props;
  const client = useQueryClient();
  const run = useMutation({
    mutationFn: action,
    onSuccess: () => done !== undefined && showToast(done),
    onError: showErrorToast,
    onSettled: () => Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
  return (
    <Button {...buttonProps} disabled={run.isPending || disabled} onClick={() => run.mutate()}>
      {run.isPending && busy !== undefined ? busy : children}
    </Button>
  );
}
