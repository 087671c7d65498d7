import { useMutation } from '@tanstack/react-query';
import { useState } from 'preact/hooks';
import { type IconName } from '../marks/icon.tsx';
import { Problem } from '../marks/problem.tsx';
import { Question } from './question.tsx';
import { Button } from '../button.tsx';

/**
 * A button whose action needs confirmation, such as one that stops, merges or removes something.
 */
export function ConfirmButton(props: {
  label: string;
  /** The affected object, for screen readers where a page has several such buttons. */
  about?: string;
  icon?: IconName;
  small?: boolean;
  primary?: boolean;
  question: string;
  explanation: string;
  confirmLabel: string;
  danger?: boolean;
  action: () => Promise<unknown>;
}) {
  const [open, setOpen] = useState(false);
  const mutation = useMutation({ mutationFn: props.action, onSuccess: () => setOpen(false) });
  return (
    <>
      <Button
        icon={props.icon}
        small={props.small ?? false}
        primary={props.primary ?? false}
        onClick={() => setOpen(true)}
      >
        {props.label}
        {props.about !== undefined && <span class="visually-hidden"> {props.about}</span>}
      </Button>
      {open && (
        <Question
          title={props.question}
          confirmLabel={props.confirmLabel}
          danger={props.danger}
          pending={mutation.isPending}
          onConfirm={() => mutation.mutate()}
          onClose={() => setOpen(false)}
        >
          <p>{props.explanation}</p>
          <Problem error={mutation.error} />
        </Question>
      )}
    </>
  );
}
