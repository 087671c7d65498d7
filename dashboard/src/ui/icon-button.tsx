import type { ButtonHTMLAttributes } from 'preact';
import { Icon, type IconName } from './marks/icon.tsx';

type IconButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon' | 'label' | 'size'> & {
  icon: IconName;
  /** Label for screen readers, also shown as a tooltip. */
  label: string;
  size?: number;
};

/** A button that shows only an icon. */
export function IconButton({ icon, label, size, ...rest }: IconButtonProps) {
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} {...rest}>
      <Icon name={icon} {...(size !== undefined && { size })} />
    </button>
  );
}
