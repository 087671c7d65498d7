import type { FormHTMLAttributes, RefObject } from 'preact';

type FormProps = Omit<FormHTMLAttributes<HTMLFormElement>, 'onSubmit' | 'ref' | 'class'> & {
  class?: string;
  formRef?: RefObject<HTMLFormElement | null>;
  /** Is given the form that was submitted. */
  onSubmit: (form: HTMLFormElement) => void;
};

/** A form whose content a script sends: the page stays. */
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
