import preset, { nestFirst } from '../../jest.preset.mjs';

export default { ...preset, setupFiles: [nestFirst] };
