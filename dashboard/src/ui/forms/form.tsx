import type { FormHTMLAttributes, RefObject } from 'preact';

type FormProps = Omit<FormHTMLAttributes<HTMLFormElement>, 'onSubmit' | 'ref' | 'class'> & {
  class?: string;
  formRef?: RefObject<HTMLFormElement | null>;
  /** Called with the submitted form. */
  onSubmit: (form: HTMLFormElement) => void;
};

/** A form that is sent by a script, without leaving the page. */
export function Form({ onSubmit, formRef, ...rest }: FormProps) {
  return (
    <form
      class="form"
      {...rest}
      {...(formRef && { ref: formRef })}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(event.currentTarget);
      }}
    />
  );
}
