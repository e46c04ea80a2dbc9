export { EventRecorder } from './recorder.js';
