/* A button that shows only an icon; its label is for screen readers and the tooltip. */

import type { ButtonHTMLAttributes } from 'preact';
import { Icon, type IconName } from './icons.tsx';

type IconButtonProps = ButtonHTMLAttributes & { icon: IconName; label: string };

export const IconButton = ({ icon, label, ...rest }: IconButtonProps) => (
  <button
    type="button"
    {...rest}
    class={`icon-button ${rest.class ?? ''}`}
    aria-label={label}
    title={rest.title ?? label}
  >
    <Icon name={icon} />
  </button>
);
