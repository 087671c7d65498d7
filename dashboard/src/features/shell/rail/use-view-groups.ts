import { useIsSetUp } from '../../overview/use-missing-steps.ts';
import {
  PHONE_VIEWS,
  PHONE_VIEWS_BEFORE_SET_UP,
  type View,
  type ViewPath,
  VIEWS,
} from '../views.ts';

type ViewGroups = {
  /** Views for every day; Setup comes first until an issue can start. */
  work: readonly View[];
  settings: readonly View[];
  index: View;
  /** Views in a phone's navigation bar. */
  onPhone: readonly ViewPath[];
};

/** The views, grouped by purpose. */
export function useViewGroups(): ViewGroups {
  return useIsSetUp() ? READY : NOT_SET_UP;
}

const inGroup = (group: View['group']) => VIEWS.filter((view) => view.group === group);
const [index] = inGroup('index') as [View];
const isSetup = ({ to }: View) => to === '/setup';

const READY: ViewGroups = {
  work: inGroup('work'),
  settings: inGroup('settings'),
  index,
  onPhone: PHONE_VIEWS,
};
const NOT_SET_UP: ViewGroups = {
  work: [...READY.settings.filter(isSetup), ...READY.work],
  settings: READY.settings.filter((view) => !isSetup(view)),
  index,
  onPhone: ['/setup', ...PHONE_VIEWS_BEFORE_SET_UP],
};
