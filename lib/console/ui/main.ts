import './styles/element.js';
import './state/theme.js';
import { createApp } from 'vue';
import App from './App.vue';
import { preferredLanguage, speak } from './i18n/i18n.js';
import { router } from './router.js';
import { showFault } from './state/fault.js';

await speak(preferredLanguage());
const app = createApp(App).use(router);
app.config.errorHandler = (error) => showFault(error);
app.mount('#app');
