// Axes: from values to pixels, round numbers for ticks, numbers as people read them.

class Scale {
    constructor(from, to, start, end) {
        Object.assign(this, {from, to, start, end});
        this.factor = (end - start) / (to - from);
    }
    pixel(value) {
        return this.start + (value - this.from) * this.factor;
    }
    value(pixel) {
        return this.from + (pixel - this.start) / this.factor;
    }
}

// The step of 1, 2 or 5 times a power of ten that gives at most `most` ticks.
function tickStep(span, most) {
    const raw = span / Math.max(1, most), power = 10 ** Math.floor(Math.log10(raw));
    for (const factor of [1, 2, 5])
        if (factor * power >= raw * (1 - 1e-9)) return factor * power;
    return 10 * power;
}

// Round values inside [from, to].
function tickValues(from, to, most) {
    const step = tickStep(to - from, most), list = [];
    for (let k = Math.ceil(from / step - 1e-9); k * step <= to + 1e-9 * step && list.length < 100; k++) list.push(k * step);
    return {step, list};
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function raised(power) {
    return (power < 0 ? '⁻' : '') + [...String(Math.abs(power))].map(c => SUPERSCRIPTS[c]).join('');
}

function minus(text) {
    return text.replace('-', '−');
}

// A label of an axis whose ticks are `step` apart.
function tickText(value, step, scale = 1) {
    const digits = Math.max(0, Math.min(12, -Math.floor(Math.log10(step / scale) + 1e-9)));
    return minus((value / scale + 0).toFixed(digits).replace(/^-(0(\.0*)?)$/, '$1'));
}

// The power of ten that goes to the end of an axis, so that labels stay short.
function axisPower(from, to) {
    const most = Math.max(Math.abs(from), Math.abs(to));
    if (!(most > 0)) return 0;
    const power = Math.floor(Math.log10(most));
    return power >= 5 || power <= -4 ? 3 * Math.floor(power / 3) : 0;
}

// A value with six digits.
function valueText(value) {
    if (value === undefined || Number.isNaN(value)) return '·';
    if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
    if (value === 0) return '0';
    const power = Math.floor(Math.log10(Math.abs(value)));
    if (power >= 6 || power < -4) {
        const [digits, exponent] = value.toExponential(5).split('e');
        return minus(digits.replace(/\.?0+$/, '')) + '·10' + raised(Number(exponent));
    }
    return minus(String(Number(value.toPrecision(6))));
}

// A time, with as many digits as the view of `span` can tell apart.
function timeText(t, span) {
    const digits = Math.max(0, Math.min(17, Math.ceil(Math.log10(Math.max(Math.abs(t), span) / span)) + 4));
    return minus(String(Number(t.toPrecision(Math.max(5, Math.min(17, digits))))));
}

// Seconds as people read them: the factor and the name for times of this size.
function timeUnit(most, unit) {
    if (unit === 's')
        for (const [factor, name] of [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']])
            if (most >= factor * 0.5 || name === 'ns') return {factor, name};
    return {factor: 1, name: unit};
}

// The range of an axis around [low, high], with some air.
function airy(low, high) {
    if (!(low <= high)) return [-1, 1];
    if (low === high) return low === 0 ? [-1, 1] : [low - Math.abs(low) / 2, high + Math.abs(high) / 2];
    const air = 0.07 * (high - low);
    return [low - air, high + air];
}
