export * from './config.js';
export { setting, settingsOf, type Need, type Setting, type SettingDecorator } from './setting.js';
