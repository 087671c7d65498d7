import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { Button, type ButtonProps } from './button.tsx';
import { showErrorToast, showToast } from './overlays/toasts.tsx';

type ActionButtonProps = Omit<ButtonProps, 'onClick'> & {
  action: () => Promise<unknown>;
  /** Said when it is done. */
  done?: string;
  /** Said on the button meanwhile. */
  busy?: string;
  /** What it changes: read again afterwards, also when it failed. */
  stale: readonly QueryKey[];
};

/** A button that does something at once and says what came of it. */
export function ActionButton(props: ActionButtonProps) {
  const { action, done, busy, stale, disabled = false, children, ...look } = props;
  const client = useQueryClient();
  const run = useMutation({
    mutationFn: action,
    onSuccess: () => done !== undefined && showToast(done),
    onError: showErrorToast,
    onSettled: () => Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
  return (
    <Button {...look} disabled={run.isPending || disabled} onClick={() => run.mutate()}>
      {run.isPending && busy !== undefined ? busy : children}
    </Button>
  );
}
