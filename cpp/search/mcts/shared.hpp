// Numbers that several threads may change: atomic, and without order between different ones.
//
// Reading and writing one costs a single thread nothing; adding to one does, so additions are told whether there are
// other threads.
#pragma once

#include <atomic>
#include <thread>

namespace spielbaum {

template <class T>
T peek(const T& number) {
    return std::atomic_ref<T>(const_cast<T&>(number)).load(std::memory_order_relaxed);
}
template <class T>
void put(T& number, T value) {
    std::atomic_ref<T>(number).store(value, std::memory_order_relaxed);
}
// Whoever sees the new value also sees all that was written before it.
template <class T>
void publish(T& number, T value) {
    std::atomic_ref<T>(number).store(value, std::memory_order_release);
}
template <class T>
T see(const T& number) {
    return std::atomic_ref<T>(const_cast<T&>(number)).load(std::memory_order_acquire);
}

// Adds, and answers the value before.
template <class T>
T take(T& number, T amount, bool shared) {
    std::atomic_ref<T> atomic(number);
    if (shared) return atomic.fetch_add(amount, std::memory_order_relaxed);
    const T before = atomic.load(std::memory_order_relaxed);
    atomic.store(static_cast<T>(before + amount), std::memory_order_relaxed);
    return before;
}
template <class T>
void add(T& number, T amount, bool shared) {
    take(number, amount, shared);
}

// For what takes less time than going to sleep.
class SpinLock {
public:
    void lock() {
        while (locked_.exchange(true, std::memory_order_acquire))
            while (locked_.load(std::memory_order_relaxed)) std::this_thread::yield();
    }
    void unlock() { locked_.store(false, std::memory_order_release); }

private:
    std::atomic<bool> locked_ = false;
};

}  // namespace spielbaum
