/** Paths on a 16 × 16 grid, drawn with a 1.5 stroke in the text's colour. */
const PATHS = {
  overview: 'M2.5 9.5h3v3.5h-3zM6.5 6h3v7h-3zM10.5 3h3v10h-3z',
  feed: 'M2.5 8h2.3L6.5 3.5l3 9L11.2 8h2.3',
  bell: 'M4 11V7.5a4 4 0 0 1 8 0V11l1.2 1.5H2.8zM6.7 14h2.6',
  clock: 'M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM8 5v3.2l2 1.3',
  siren: 'M4 12.5V9a4 4 0 0 1 8 0v3.5M2.5 12.5h11M8 1.8v1.4M2.8 4l1 1M13.2 4l-1 1',
  template: 'M3 3h10v3H3zM3 8.5h4.5V13H3zM10 8.5h3M10 10.8h3M10 13h3',
  sliders: 'M4 2.5v4M4 9.5v4M8 2.5v2M8 7.5v6M12 2.5v6M12 11.5v2M2.5 8h3M6.5 6h3M10.5 10h3',
  key: 'M10 9.5a3.5 3.5 0 1 0-3.3-2.3L2.5 11.4v2.1h2.3v-1.6h1.6v-1.6l.9-.9A3.5 3.5 0 0 0 10 9.5zM10.8 5.2h.01',
  route:
    'M4 13a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM12 6a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM5.5 11.5h5a2 2 0 0 0 0-4h-5a2 2 0 0 1 0-4h5',
  webhook:
    'M5.5 6.5a2.5 2.5 0 1 1 4.3 1.7L12 12M8 5.5 5.5 10a2.5 2.5 0 1 0 2 2.5h4.5a2 2 0 1 0-.3-2.6',
  disk: 'M8 6.5c3 0 5-.8 5-2s-2-2-5-2-5 .8-5 2 2 2 5 2zM3 4.5v7c0 1.2 2 2 5 2s5-.8 5-2v-7M3 8c0 1.2 2 2 5 2s5-.8 5-2',
  audit: 'M4 2.5h8v11H4zM6 5.5h4M6 8h4M6 10.5h2',
  engine:
    'M5 5h6v6H5zM6.5 2.5V5M9.5 2.5V5M6.5 11v2.5M9.5 11v2.5M2.5 6.5H5M2.5 9.5H5M11 6.5h2.5M11 9.5h2.5',
  cost: 'M8 2v12M10.8 4.8C10.3 4 9.2 3.6 8 3.6c-1.6 0-2.7.8-2.7 2.1S6.4 7.6 8 8s2.8 1 2.8 2.3S9.6 12.4 8 12.4c-1.3 0-2.4-.5-2.9-1.3',
  code: 'M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  offline:
    'M2.5 2.5l11 11M4.2 8.6A5.5 5.5 0 0 1 7 7.2M9.5 7.3a5.5 5.5 0 0 1 2.4 1.4M6.2 10.8a2.6 2.6 0 0 1 3.3-.2M8 13h.01',
  keyboard: 'M1.5 4.5h13v7h-13zM4 7h.01M6.7 7h.01M9.4 7h.01M12 7h.01M5 9.4h6',
  compare: 'M3 3h4v10H3zM9 3h4v10H9z',
  steer: 'M2.5 8h8M7.5 4.5 11 8l-3.5 3.5M13.5 3v10',
  download: 'M8 2.5v7.5M4.7 7 8 10.3 11.3 7M3 13h10',
  filter: 'M2.5 3.5h11l-4.2 5v4.5l-2.6-1.5v-3z',
  help: 'M6 6a2 2 0 1 1 2.7 1.9c-.5.2-.7.6-.7 1.1v.4M8 11.6h.01M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12z',
  rows: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  board: 'M2.5 3.5h3v9h-3zM6.8 3.5h3v6h-3zM11 3.5h2.5v7.5H11z',
  inbox: 'M2.5 9.5 4.5 3h7l2 6.5v3.5h-11zM2.5 9.5H6a2 2 0 0 0 4 0h3.5',
  runner: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01M8 5h3M8 11h3',
  pull: 'M4.5 5.5v5M4.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM4.5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 10.5V6a2 2 0 0 0-2-2H8M9.5 2 7.5 4l2 2',
  merge:
    'M4.5 5.5v5M4.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM4.5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 10.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM4.5 5.5c0 2.4 2.2 3.5 5.5 3.5',
  setup:
    'M2.5 4.5h6M11.5 4.5h2M10 6a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM2.5 11.5h2M7.5 11.5h6M6 13a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z',
  plus: 'M8 3v10M3 8h10',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2',
  close: 'M4 4l8 8M12 4l-8 8',
  chevron: 'M6 4l4 4-4 4',
  up: 'M8 13V3M4 7l4-4 4 4',
  down: 'M8 3v10M4 9l4 4 4-4',
  back: 'M10 4 6 8l4 4',
  copy: 'M6 6h7v7H6zM3 10V3h7',
  check: 'M3.5 8.5l3 3 6-7',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z',
  system: 'M2.5 3h11v7.5h-11zM6 13h4M8 10.5V13',
  warning: 'M8 2.5 14 13H2zM8 6.5v3M8 11.2h.01',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  stop: 'M4 4h8v8H4z',
  retry: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3',
  link: 'M6.5 3.5h-3v9h9v-3M9 3h4v4M13 3 7.5 8.5',
  branch:
    'M4.5 5.5v5M4.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM4.5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 5.5c0 3-7 2-7 5',
  tree: 'M2.5 3h4v2.5h-4zM9 7h4.5v2.5H9zM9 11.5h4.5V14H9zM4.5 5.5v7.2H9M4.5 8.2H9',
  command: 'M3 4.5 6.5 8 3 11.5M8 12h5',
  file: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3M6 9h4M8 7v4',
  message: 'M2.5 3.5h11v7.5H7l-3 2.5V11H2.5z',
  thought: 'M8 2.5a4 4 0 0 1 2.2 7.3V11H5.8V9.8A4 4 0 0 1 8 2.5zM6.3 13.5h3.4',
  tool: 'M10.5 2.8a3 3 0 0 0-3 4L2.8 11.5l1.7 1.7L9.2 8.5a3 3 0 0 0 4-3.8L11.5 6.5 9.7 6.3l-.2-1.8z',
  person: 'M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.5c.5-5 9.5-5 10 0',
  plan: 'M3 4h.01M3 8h.01M3 12h.01M6 4h7M6 8h7M6 12h7',
  dot: 'M8 9.2a1.2 1.2 0 1 0 0-2.4 1.2 1.2 0 0 0 0 2.4z',
  // The statuses: each has a shape of its own, so that none depends on its colour.
  idle: 'M8 13a5 5 0 1 0 0-10 5 5 0 0 0 0 10z',
  queued: 'M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM8 5v3.2l2 1.3',
  running: 'M8 2.5A5.5 5.5 0 1 1 3.2 5.3M6.5 5.5 10.5 8l-4 2.5z',
  retrying: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3',
  blocked: 'M5.5 2.5h5l3 3v5l-3 3h-5l-3-3v-5zM5.5 8h5',
  completed: 'M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM5.5 8.2l1.8 1.8 3.2-3.8',
  failed: 'M8 2 14 8l-6 6-6-6zM6.3 6.3l3.4 3.4M9.7 6.3 6.3 9.7',
  cancelled: 'M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM4.2 4.2l7.6 7.6',
  asking:
    'M2.5 3.5h11v7.5H7l-3 2.5V11H2.5zM6.7 6.2c.2-1.6 2.7-1.5 2.6.1 0 .9-1.3 1-1.3 1.8M8 9.3h.01',
} as const;

export type IconName = keyof typeof PATHS;

/** A decorative mark; its meaning must also be given as text. */
export function Icon(props: { name: IconName; size?: number; class?: string }) {
  const { name, size = 16, class: className = '' } = props;
  return (
    <svg
      class={`icon icon-${name} ${className}`}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
