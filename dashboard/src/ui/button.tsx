import type { ButtonHTMLAttributes } from 'preact';
import { Icon, type IconName } from './marks/icon.tsx';

export type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'class' | 'icon'> & {
  icon?: IconName | undefined;
  small?: boolean;
  /** The main action of the page or dialog. */
  primary?: boolean;
  /** The action stops or removes something. */
  danger?: boolean;
};

/** A button with a label; it submits a form only where its type is `submit`. */
export function Button({ icon, small, primary, danger, children, ...rest }: ButtonProps) {
  const classes = ['button', small && 'small', primary && 'primary', danger && 'danger'];
  return (
    <button type="button" {...rest} class={classes.filter(Boolean).join(' ')}>
      {icon !== undefined && <Icon name={icon} size={14} />}
      {icon !== undefined && ' '}
      {children}
    </button>
  );
}
