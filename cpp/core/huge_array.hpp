// A large zeroed array for tables and trees: address space is reserved at once, memory is used as it is touched.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace spielbaum {

template <class T>
class HugeArray {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
    explicit HugeArray(std::size_t size) : size_(size) { allocate(); }
    HugeArray(HugeArray&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    HugeArray& operator=(HugeArray&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~HugeArray() { release(); }

    T& operator[](std::size_t index) { return data_[index]; }
    const T& operator[](std::size_t index) const { return data_[index]; }
    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }

    // All zero again. To give memory back to the system is faster than to write zeros to it, unless there is little of
    // it.
    void clear() {
        if (size_ * sizeof(T) <= kLittle) {
            if (data_ != nullptr) std::memset(static_cast<void*>(data_), 0, size_ * sizeof(T));
        } else {
            release();
            allocate();
        }
    }

private:
    static constexpr std::size_t kLittle = std::size_t{1} << 16;

    void allocate() {
        if (size_ == 0) return;
#if defined(__linux__)
        void* memory = mmap(nullptr, size_ * sizeof(T), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        // Random access to many small pages costs a page-table walk each time: large pages halve the cost of a look-up.
        madvise(memory, size_ * sizeof(T), MADV_HUGEPAGE);
#else
        void* memory = std::calloc(size_, sizeof(T));
        if (memory == nullptr) throw std::bad_alloc();
#endif
        data_ = static_cast<T*>(memory);
    }

    void release() {
        if (data_ == nullptr) return;
#if defined(__linux__)
        munmap(data_, size_ * sizeof(T));
#else
        std::free(data_);
#endif
        data_ = nullptr;
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace spielbaum
